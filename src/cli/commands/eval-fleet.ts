/** `runner eval fleet`: prints what an engine needs to run an eval, or runs, on several machines. Starts and writes nothing. */
import { relative } from 'node:path';
import { gitAdapter } from '../../adapters/git/git.ts';
import { shownAddress } from '../../core/runs/push.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { newBatchId } from '../../eval/cases/names.ts';
import { renderKubernetes } from '../../eval/fleet/kubernetes.ts';
import { renderSlurm } from '../../eval/fleet/slurm.ts';
import { fleetName, taskCount } from '../../eval/fleet/work-script.ts';
import type { FleetWork } from '../../eval/fleet/work-script.ts';
import { chooseCases, loadCases } from '../../eval/harness/case-files.ts';
import { nameSeed } from '../../eval/harness/place.ts';
import { evalRunOptions, noCase } from '../eval/options.ts';
import { usage } from '../eval/variants.ts';
import { exitCodes } from '../exit-codes.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { listOption, openEval, printWarnings } from '../wire/eval.ts';

const shardsDefault = 4;
const shardsMax = 10_000;
const imageDefault = 'runner:latest';
/** Flags of `eval run` that every task gets as they are. */
const passedFlags = {
  agent: 'agent',
  model: 'model',
  set: 'set',
  agentCommand: 'agent-command',
  repeat: 'repeat',
  oracle: 'oracle',
  null: 'null',
} as const;

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const { engine, image } = call.options;
  if (engine === undefined) throw usage('--engine is missing: slurm or k8s');
  const run_ids = listOption(call, 'run');
  const work =
    run_ids.length === 0 ? await evalWork(settings, call) : await runsWork(settings, call, run_ids);
  const text =
    engine === 'slurm'
      ? renderSlurm(work)
      : renderKubernetes(work, { image: typeof image === 'string' ? image : imageDefault });
  printLine(settings, text.trimEnd(), {
    command: 'eval fleet',
    engine,
    kind: work.kind,
    name: fleetName(work),
    tasks: taskCount(work),
    text,
  });
  return exitCodes.ok;
}

/** Wrong flags and unknown cases are told here, not by every task of the fleet. */
async function evalWork(settings: Settings, call: CommandCall): Promise<FleetWork> {
  const options = evalRunOptions(call);
  const place = await openEval(settings, call);
  const loaded = await loadCases(place);
  if (chooseCases(loaded, options).length === 0) throw noCase(place, loaded);
  printWarnings(
    settings,
    loaded.problems.flatMap(({ lines }) => lines),
  );
  const below = relative(place.root, place.casesDir);
  const isBelow = below !== '' && !below.startsWith('..');
  return {
    kind: 'eval',
    batch_id: options.batch_id ?? newBatchId(nameSeed()),
    shards: shardsOf(call),
    words: [
      ...options.ids,
      ...options.tags.flatMap((tag) => ['--tag', tag]),
      ...Object.entries(passedFlags).flatMap(([option, name]) => wordsOf(name, call.options[option])),
    ].map(shellWord),
    cases: { word: shellWord(isBelow ? below : place.casesDir), isBelow },
  };
}

function wordsOf(name: string, value: unknown): readonly string[] {
  if (value === true) return [`--${name}`];
  if (Array.isArray(value)) return value.flatMap((item) => wordsOf(name, item));
  return typeof value === 'string' || typeof value === 'number' ? [`--${name}`, String(value)] : [];
}

function shardsOf({ options }: CommandCall): number {
  const given = options['shards'];
  const shards = typeof given === 'number' ? given : shardsDefault;
  if (shards > shardsMax) throw usage(`--shards takes at most ${shardsMax}`);
  return shards;
}

async function runsWork(
  { directory, env }: Settings,
  { args, options }: CommandCall,
  run_ids: readonly string[],
): Promise<FleetWork> {
  if (args.length > 0) throw usage('cases and --run cannot be combined');
  const odd = run_ids.find((id) => !/^[A-Za-z0-9._-]+$/.test(id));
  if (odd !== undefined) throw usage(`--run takes the id of a run, not '${odd}'`);
  const git = gitAdapter({ projectDir: directory, env });
  const { prefix } = await git.locate();
  const given = options['from'];
  const from = typeof given === 'string' ? given : shownAddress(await git.pushAddress('origin'));
  return { kind: 'runs', run_ids, from: shellWord(from), prefix: prefix === '' ? '' : shellWord(prefix) };
}
