/**
 * Plays the attacks and prints the table: `npm run test:hostile [-- name…] [--only=default,every,control] [--sandbox] [--lanes=3]`. Ends with 1
 * when anything that must hold does not, or a control shows nothing.
 */
import { allCases } from './cases/all.ts';
import type { HostileCase } from './case.ts';
import { playCase } from './play.ts';
import type { Mode, Played } from './play.ts';
import { judgeRow, renderProblems, renderSummary, renderTable } from './table.ts';
import type { Row } from './table.ts';
import { worldStore } from './world.ts';

const words = process.argv.slice(2);
const flag = (name: string, usual: string): string =>
  words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual;
const names = words.filter((word) => !word.startsWith('--'));
const only = (words.includes('--sandbox') ? 'sandbox' : flag('only', '')).split(',') as readonly Mode[];
const lanes = Number(flag('lanes', '3'));
const chosen = allCases.filter(
  ({ name, family }) => names.length === 0 || names.some((word) => name.startsWith(word) || family === word),
);
const store = worldStore();

/** The default settings differ in how often the judge checks out, so they are played where a pass is at stake. */
function modesOf({ family, control }: HostileCase): readonly Mode[] {
  const usual: readonly Mode[] =
    family === 'false-pass' ? ['default', 'every', 'control'] : ['every', 'control'];
  const modes = only.join('') === '' ? usual : only;
  return modes.filter((mode) => mode !== 'control' || control.kind !== 'none');
}

async function playRow(hostile: HostileCase): Promise<Row> {
  const played: Partial<Record<Mode, Played>> = {};
  try {
    for (const mode of modesOf(hostile)) played[mode] = await playCase(store, hostile, mode);

    return { hostile, played, error: null };
  } catch (error) {
    return { hostile, played, error: error instanceof Error ? error.message : String(error) };
  }
}

const rows: Row[] = [];
const queue = [...chosen];
const lane = async (): Promise<void> => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const row = await playRow(next);
    rows.push(row);
    process.stderr.write(
      `${rows.length}/${chosen.length} ${next.name}: ${judgeRow(row)}${renderProblems(row)}\n`,
    );
  }
};

const startedMs = performance.now();
await Promise.all(Array.from({ length: lanes }, lane));
store.remove();
const order = new Map(chosen.map(({ name }, at) => [name, at]));
const sorted = rows.toSorted((a, b) => (order.get(a.hostile.name) ?? 0) - (order.get(b.hostile.name) ?? 0));
const seconds = Math.round((performance.now() - startedMs) / 1000);
process.stdout.write(`${renderTable(sorted)}\n\n${renderSummary(sorted)}\nseconds: ${seconds}\n`);
process.exitCode = sorted.some((row) => judgeRow(row) === 'failed') ? 1 : 0;
