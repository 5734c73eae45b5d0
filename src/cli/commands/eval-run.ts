/** `runner eval run`: begins or resumes a batch of trials; lines for scripts on stdout, progress for people on stderr. */
import { systemClock } from '../../adapters/files/clock.ts';
import { systemHasher } from '../../adapters/files/hasher.ts';
import { RunnerError } from '../../core/errors.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { WantedReport } from '../../eval/report/reporters.ts';
import type { Batch } from '../../eval/cases/types.ts';
import type { SignalName } from '../../core/types.ts';
import { packageVersion } from '../../core/version.js';
import { batchLock, endLeftovers } from '../../eval/harness/batch-lock.ts';
import { runBatch, trialsToDo } from '../../eval/harness/batch.ts';
import { makeEvalFolders } from '../../eval/harness/place.ts';
import type { EvalFolders } from '../../eval/harness/place.ts';
import { prepareHide } from '../../eval/harness/hide.ts';
import type { Hide, HideRequest } from '../../eval/harness/hide.ts';
import { summariseTrials } from '../../eval/report/summary.ts';
import type { EvalSummary } from '../../eval/report/summary.ts';
import { evalResults } from '../../eval/harness/results.ts';
import type { EvalResults } from '../../eval/harness/results.ts';
import { killMarked } from '../../eval/harness/trial-world.ts';
import type { TrialEvent, TrialWorld } from '../../eval/harness/trial-world.ts';
import { startPages } from '../../eval/harness/watch-pages.ts';
import type { Pages } from '../../eval/harness/watch-pages.ts';
import type { Clock } from '../../ports/sessions.ts';
import { openBatch } from '../eval/batch.ts';
import type { OpenBatch } from '../eval/batch.ts';
import { evalLive } from '../output/eval-live.ts';
import type { EvalLive } from '../output/eval-live.ts';
import { evalRunOptions } from '../eval/options.ts';
import type { EvalRunOptions } from '../eval/options.ts';
import { usage } from '../eval/variants.ts';
import { showRunReports, wantedReports } from '../eval/reports.ts';
import { lowestPassRate, printBatch, printTrial } from '../output/eval-run-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { processInterrupts } from '../interrupts.ts';
import type { ProcessInterrupts } from '../interrupts.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { openEval, printWarnings } from '../wire/eval.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const options = evalRunOptions(call);
  const reports = wantedReports(settings, call);
  const place = await openEval(settings, call);
  const results = evalResults(place);
  const clock = systemClock();
  let release = (): Promise<void> => Promise.resolve();
  const hold = async (batch_id: string): Promise<void> => {
    await makeEvalFolders(place);
    const onNote = (message: string): void => note(settings, message);
    release = await batchLock(place, { batch_id, clock, onNote }).acquire(`eval run --batch ${batch_id}`);
  };
  try {
    const opened = await openBatch({ place, results, options, hold });
    checkPages(options, opened.batch);
    printWarnings(settings, opened.warnings);
    if (!options.isResumed) await results.saveBatch(opened.batch);
    for (const ended of await endLeftovers(place, opened.batch))
      note(settings, `ended processes of a dead harness: ${ended}`);

    return await runOpened({ settings, call, options, reports, place, results, clock, opened });
  } finally {
    await release();
  }
}

interface Opened {
  readonly settings: Settings;
  readonly call: CommandCall;
  readonly options: EvalRunOptions;
  readonly reports: readonly WantedReport[];
  readonly place: EvalFolders;
  readonly results: EvalResults;
  readonly clock: Clock;
  readonly opened: OpenBatch;
}

async function runOpened(given: Opened): Promise<number> {
  const { settings, reports, place, results, clock, opened } = given;
  const { batch } = opened;
  const lines = linesOf(settings, reports);
  const hasher = systemHasher();
  const active = new Set<string>();
  const nowMs = (): number => clock.monotonicMs();
  const total = trialsToDo({ hasher }, opened).length;
  const live = evalLive(settings, { batch_id: batch.batch_id, total, nowMs });
  const interrupts = openInterrupts(live, active);
  const program = programOf(settings);
  const hide = await openHide(given, { place, program, env: settings.env, clock, hasher, interrupts });
  coverTracks(place);
  const world: TrialWorld = {
    place,
    results,
    batch,
    program,
    hide,
    env: settings.env,
    runnerVersion: packageVersion,
    clock,
    hasher,
    interrupts,
    active,
    onEvent: (event) => tell(lines, live, event),
  };
  try {
    return await runAll({ ...given, lines, world, live, interrupts });
  } finally {
    live.close();
    interrupts.close();
  }
}

function note({ quiet, streams }: Settings, message: string): void {
  if (!quiet) streams.err(`note: ${message}\n`);
}

interface Command extends Opened {
  /** For the lines on stdout. */
  readonly lines: Settings;
  readonly world: TrialWorld;
  readonly live: EvalLive;
  readonly interrupts: ProcessInterrupts;
}

async function runAll(command: Command): Promise<number> {
  const { lines, options, opened, world, live, interrupts } = command;
  const { batch } = opened;
  const pages = options.ui ? await showPages(command) : null;
  try {
    const result = await runBatch(world, { ...opened, jobs: options.jobs.atOnce });
    live.close();
    const summary = summariseTrials([...opened.done, ...result.records]);
    printBatch(lines, { batch_id: batch.batch_id, summary, left: result.left });
    await report(command);
    const signal = interrupts.current();
    if (signal !== null && result.left > 0) throw interrupted(command, { signal, left: result.left });
    if (pages !== null && signal === null) await keepPages(command);
    return judge(command, summary);
  } finally {
    await pages?.close();
  }
}

/** A report on stdout must be alone there: redirected to a file it has to be valid. */
function linesOf(settings: Settings, reports: readonly WantedReport[]): Settings {
  const isTaken = reports.some(({ file }) => file === null);
  return isTaken ? { ...settings, streams: { ...settings.streams, out: () => {} } } : settings;
}

/** From what is on disk, which is all that a later report will have. */
async function report({ settings, reports, world, opened }: Command): Promise<void> {
  if (reports.length === 0) return;
  const loaded = await world.results.loadBatch(opened.batch.batch_id);
  await showRunReports(settings, reports, { ...loaded, case_id: null, variant: null });
}

function programOf({ entryFile }: Settings): readonly string[] {
  return entryFile === null ? [process.execPath] : [process.execPath, entryFile];
}

/** Only agents could look for the cases. What is not hidden is reported, or its results would be trusted too much. */
async function openHide({ settings, opened, options }: Opened, request: HideRequest): Promise<Hide> {
  const { atOnce, wanted } = options.jobs;
  if (atOnce < wanted)
    note(settings, `--jobs ${wanted}: ${atOnce} at a time, one per processor; the others wait`);
  if (!opened.batch.plan.variants.some(({ kind }) => kind === 'agent')) return null;
  if (!options.isHidden) return null;
  const found = await prepareHide(request);
  if (found.ok) return found.hide;
  note(settings, `cases are not hidden from agents: ${found.why}; see docs/eval.md`);
  return null;
}

/** Neither our folder nor our arguments lead an agent to the cases. Everything here has whole paths. */
function coverTracks({ trialsDir }: EvalFolders): void {
  process.chdir(trialsDir);
  process.title = 'runner eval';
}

function openInterrupts(live: EvalLive, active: ReadonlySet<string>): ProcessInterrupts {
  return processInterrupts({
    onFirst: (signal) => live.say(`${signal}: stopping cleanly; a second signal stops at once`),
    killNow: () => killMarked(active),
  });
}

function tell(settings: Settings, live: EvalLive, event: TrialEvent): void {
  live.report(event);
  if (event.type === 'trial_ended') live.print(() => printTrial(settings, event.record));
}

function checkPages({ ui }: EvalRunOptions, { plan }: Batch): void {
  if (ui && plan.cases.length !== 1)
    throw usage(`--ui shows one case, but ${plan.cases.length} are selected: name one`);
}

async function showPages({ lines, world, opened, live }: Command): Promise<Pages> {
  const pages = await startPages(world, opened.batch.plan.cases[0]?.id ?? '');
  const { address } = pages;
  live.print(() => printLine(lines, `eval: ui=${address}`, { command: 'eval run', event: 'ui', address }));
  return pages;
}

/** Somebody sits at the terminal and may still want to look; a script does not. */
async function keepPages({ settings, interrupts }: Command): Promise<void> {
  const { noInput, streams } = settings;
  if (noInput || streams.columns() === null) return;
  if (!settings.quiet) streams.err('the pages stay until Ctrl-C\n');
  await new Promise<SignalName>((resolve) => interrupts.subscribe(resolve));
}

function interrupted(
  { opened, call }: Command,
  what: { readonly signal: SignalName; readonly left: number },
): RunnerError {
  const { cases } = call.options;
  const where = typeof cases === 'string' ? ` --cases ${shellWord(cases)}` : '';
  return new RunnerError({
    code: 'INTERRUPTED',
    signal: what.signal,
    message: `stopped by ${what.signal}; ${what.left} ${what.left === 1 ? 'trial is' : 'trials are'} left`,
    hint: `runner eval run --resume --batch ${opened.batch.batch_id}${where}`,
  });
}

function judge({ options, opened }: Command, { variants }: EvalSummary): number {
  const rate = lowestPassRate(variants);
  const { minPassRate } = options;
  if (minPassRate !== null && (rate === null || rate < minPassRate)) {
    throw new RunnerError({
      code: 'EVAL_RATE_MISSED',
      message:
        rate === null
          ? 'a variant has no trial that ran, so --min-pass-rate is missed'
          : `the pass rate ${rate.toFixed(3)} is below --min-pass-rate ${minPassRate}`,
      hint: `runner eval report ${opened.batch.batch_id}`,
    });
  }
  if (opened.badFiles > 0) {
    throw new RunnerError({
      code: 'EVAL_CASE_INVALID',
      message: `${opened.badFiles} case ${opened.badFiles === 1 ? 'file has' : 'files have'} problems and did not run`,
      hint: 'correct them, then run: runner eval list',
    });
  }
  return exitCodes.ok;
}
