/**
 * What one task of a fleet does, as a shell script that every engine can start (§13). A task that was killed is started again and goes on:
 * an eval from its results, a run from its pushed branch. Words of the user come in already quoted.
 */

export type FleetWork =
  | {
      readonly kind: 'eval';
      readonly batch_id: string;
      readonly shards: number;
      /** Flags and cases of `runner eval run`, quoted. */
      readonly words: readonly string[];
      /** Folder of the cases, quoted: below the base, or absolute. */
      readonly cases: { readonly word: string; readonly isBelow: boolean };
    }
  | {
      readonly kind: 'runs';
      readonly run_ids: readonly string[];
      /** What is cloned, quoted. */
      readonly from: string;
      /** The project folder inside the repository, empty or ending in '/', quoted. */
      readonly prefix: string;
    };

/** How an engine tells a task where it is and which one it is, as shell expressions. */
export interface TaskPlace {
  readonly base: string;
  /** From 1. */
  readonly task: string;
  /** Different for every start of a task. */
  readonly attempt: string;
}

export function taskCount(work: FleetWork): number {
  return work.kind === 'eval' ? work.shards : work.run_ids.length;
}

/** What engines and files call it. */
export function fleetName(work: FleetWork): string {
  return work.kind === 'eval' ? work.batch_id : 'runs';
}

export function renderWork(work: FleetWork, { base, task, attempt }: TaskPlace): string {
  const lines = [
    'set -eu',
    `base=${base}`,
    `task=${task}`,
    'mkdir -p "$base/fleet"',
    `printf '*\\n' > "$base/fleet/.gitignore"`,
    ...(work.kind === 'eval' ? evalLines(work) : runLines(work, attempt)),
  ];
  return `${lines.join('\n')}\n`;
}

function evalLines({ batch_id, shards, words, cases }: Extract<FleetWork, { kind: 'eval' }>): string[] {
  const folder = cases.isBelow ? `"$base"/${cases.word}` : cases.word;
  const given = words.map((word) => ` ${word}`).join('');
  return [
    `dir="$base/fleet/${batch_id}/$task"`,
    `cases=${folder}`,
    'mkdir -p "$dir"',
    '# A task is started once at a time: a lock that is left is that of a worker that is gone.',
    `rm -f "$dir/eval/results/${batch_id}.lock"`,
    `if [ -e "$dir/eval/results/${batch_id}.batch.json" ]; then`,
    `  exec runner -C "$dir" eval run --resume --batch ${batch_id} --cases "$cases"`,
    'fi',
    `exec runner -C "$dir" eval run${given} --shard "$task/${shards}" --batch ${batch_id} --cases "$cases"`,
  ];
}

function runLines(
  { run_ids, from, prefix }: Extract<FleetWork, { kind: 'runs' }>,
  attempt: string,
): string[] {
  return [
    'case "$task" in',
    ...run_ids.map((run_id, index) => `  ${index + 1}) run=${run_id} ;;`),
    'esac',
    '# A fresh clone of what was pushed: a worker that comes back late is fenced off.',
    `dir="$base/fleet/runs/$run-${attempt}"`,
    `git clone --quiet --branch "runner/$run" ${from} "$dir"`,
    `exec runner -C "$dir"/${prefix} loop --push origin`,
  ];
}

/** What to do when all tasks are done, for people. */
export function renderNext(work: FleetWork): readonly string[] {
  return work.kind === 'eval'
    ? [`runner eval merge fleet/${work.batch_id}/*`, `runner eval report ${work.batch_id}`]
    : work.run_ids.map((run_id) => `git fetch origin runner/${run_id}`);
}
