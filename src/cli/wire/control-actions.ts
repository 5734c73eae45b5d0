/** The changes that pages may ask for, by the functions behind the commands of the same name. Only the audit line says that it was a page. */
import { systemClock } from '../../adapters/files/clock.ts';
import { waiter } from '../../adapters/processes/waiter.ts';
import { answerOrQueue } from '../../app/person/queue.ts';
import { beginRun } from '../../app/runs/begin-run.ts';
import { cancelRun } from '../../app/runs/cancel.ts';
import { resumeRun } from '../../app/runs/resume.ts';
import { RunnerError } from '../../core/errors.ts';
import { withAudit } from '../../core/runs/steer-run.ts';
import type { RunAction, StartRequest } from '../../core/views/control-api.ts';
import type { Settings } from '../output/streams.ts';
import { openBegin, openStarter } from './background.ts';
import { openPause } from './pause.ts';
import { openPersonProject } from './person.ts';
import { runRecovery } from './run-recovery.ts';
import { openRuns } from './runs.ts';
import type { RunsProject } from './runs.ts';

const by = 'web';

/** What a person chose holds as long as the run, as flags of `run start` do. */
export async function startRun(
  settings: Settings,
  request: StartRequest,
): Promise<{ readonly run_id: string }> {
  const { agent, model, max_iterations, goal, name } = request;
  const given = {
    ...(agent === null ? {} : { RUNNER_AGENT_NAME: agent }),
    ...(model === null ? {} : { RUNNER_AGENT_MODEL: model }),
    ...(max_iterations === null ? {} : { RUNNER_MAX_ITERATIONS: String(max_iterations) }),
  };
  const own = { ...settings, env: { ...settings.env, ...given } };
  const { record } = await beginRun(await openBegin(own, { overrides: [] }), {
    goal: goal === null ? null : `${goal}\n`,
    goalFile: null,
    name,
    // The page shows the runs that there are.
    isNew: true,
    push: null,
    settings: given,
    by,
    ask: null,
  });
  await (await openStarter(settings)).start(record.run_id);
  return { run_id: record.run_id };
}

export async function actOn(
  settings: Settings,
  { run_id, action }: { readonly run_id: string; readonly action: RunAction },
): Promise<void> {
  const project = await openRuns(settings);
  project.requireOutside();
  const clock = systemClock();
  // What was asked for is brought to its end, also when the server is asked to stop.
  const patient = { current: () => null, subscribe: () => () => {} };
  const ports = { ...project, clock, waiter: waiter({ clock, interrupts: patient }) };
  switch (action) {
    case 'cancel':
      await cancelRun({ ...ports, recovery: runRecovery(settings) }, { run_id, by });
      return;
    case 'resume':
      await resumeRun({ ...ports, starter: await openStarter(settings) }, { run_id, by });
      return;
    case 'pause':
      await pause(settings, project, run_id);
  }
}

async function pause(settings: Settings, project: RunsProject, runId: string): Promise<void> {
  const target = await openPause(settings, runId);
  if (await target.request()) return audit(project, runId, 'pause');
  throw new RunnerError({
    code: 'RUN_ENDED',
    message: `there is nothing to pause: no runner works on run ${runId}`,
    hint: `runner run show ${runId}`,
  });
}

/** `directory`: of the run's own work tree, or of the project. */
export async function answerIn(
  settings: Settings,
  asked: {
    readonly directory: string;
    readonly question: string;
    readonly text: string;
    readonly run_id: string | null;
  },
): Promise<{ readonly is_queued: boolean }> {
  const { directory, question, text, run_id } = asked;
  const runs = await openRuns(settings);
  runs.requireOutside();
  const project = await openPersonProject({ ...settings, directory });
  const outcome = await answerOrQueue(project, { id: question, text });
  if (run_id !== null) await audit(runs, run_id, 'answer');
  return { is_queued: 'kind' in outcome };
}

/** Of a run that has no record there is nothing to add it to; the commit says who answered. */
async function audit({ lock, records }: RunsProject, runId: string, action: string): Promise<void> {
  await lock.hold(`runner ui: ${action}`, async () => {
    const found = await records.load(runId);
    if (found?.kind !== 'record') return;
    await records.save(withAudit(found.record, { at: systemClock().nowIso(), action, by }));
  });
}
