/** What happened in the iterations of a run, read-only: the list of them, one of them, and the text of one of its files. */
import { parseAgentOutput } from '../../core/agents/agent-output.ts';
import { firstLine } from '../../core/agents/agent-events.ts';
import { cleanStream } from '../../core/text/clean-stream.ts';
import { RunnerError } from '../../core/errors.ts';
import { answerBytesMax, errorTextBytesMax } from '../../core/limits.ts';
import type { OpenIteration } from '../../core/views/overview.ts';
import type { IterationMeta } from '../../core/agents/session.ts';
import { suggest } from '../../core/text/suggest.ts';
import { walkTree } from '../../core/tree/tree-walk.ts';
import type { IterationPlace, IterationReader, LogFile, LogPlace } from '../../ports/iteration-reader.ts';
import type { RunStateStore, TreeStore } from '../../ports/stores.ts';
import { loadActivity } from './look.ts';
import type { WorkTreePorts } from './look.ts';

export interface LogPorts {
  readonly iterations: IterationReader;
  readonly runStates: RunStateStore;
  readonly trees: TreeStore;
  readonly workTree: WorkTreePorts | null;
}

/** `meta` is null while the iteration is not complete; then the journal may know it. */
export interface LogEntry extends IterationPlace {
  readonly meta: IterationMeta | null;
  readonly open: OpenIteration | null;
  /** Whether a runner is at work on it. */
  readonly is_running: boolean;
}

export interface LogDetail extends LogEntry {
  /** What the agent said it did; null when it gave no valid answer. */
  readonly summary: string | null;
  /** The first line of what went wrong, where something did. */
  readonly error: string | null;
  readonly files: readonly LogFile[];
}

/** The run to show: the one named, else the one at work, else the one of run_state.json. Null: no run. */
export async function findRun(ports: LogPorts, wanted: string | null): Promise<string | null> {
  const runs = await ports.iterations.listRuns();
  if (wanted === null) {
    const { iteration } = await loadActivity(ports.workTree);
    return iteration?.run_id ?? (await ports.runStates.load()).run_id;
  }
  if (runs.includes(wanted)) return wanted;
  throw new RunnerError({
    code: 'LOG_MISSING',
    message: `there is no log of a run '${wanted}' here${didYouMean(suggest(wanted, runs))}`,
    details: runs.map((run) => `run ${run}`),
    hint: 'runner log (logs are not in git: a fresh clone has none)',
  });
}

export async function loadEntries(
  ports: LogPorts,
  request: { readonly run_id: string; readonly node: string | null },
): Promise<readonly LogEntry[]> {
  const { run_id, node } = request;
  const { holder, iteration } = await loadActivity(ports.workTree);
  const entries: LogEntry[] = [];
  for (const iter of await ports.iterations.listIterations(run_id)) {
    const meta = await ports.iterations.loadMeta({ run_id, iter });
    const isOpen = meta === null && iteration?.run_id === run_id && iteration.iter === iter;
    const open = isOpen ? iteration : null;
    entries.push({ run_id, iter, meta, open, is_running: isOpen && holder !== null });
  }
  if (node === null) return entries;
  const found = entries.filter(({ meta, open }) => (meta ?? open)?.node_id === node);
  if (found.length === 0) await requireNode(ports, { entries, node });
  return found;
}

/** A node that was worked on may be gone from the tree, and one of the tree may not have been worked on. */
async function requireNode(
  ports: LogPorts,
  { entries, node }: { readonly entries: readonly LogEntry[]; readonly node: string },
): Promise<void> {
  const worked = entries.flatMap(({ meta, open }) => (meta ?? open)?.node_id ?? []);
  // A session may be in the middle of writing it; then nothing can be said.
  const tree = await ports.trees.load().catch(() => null);
  if (tree === null) return;
  const known = new Set([...worked, ...walkTree(tree).map((visit) => visit.node.id)]);
  if (known.has(node)) return;
  throw new RunnerError({
    code: 'NODE_UNKNOWN',
    message: `there is no node '${node}'${didYouMean(suggest(node, known))}`,
    hint: 'runner tree',
  });
}

export async function loadDetail(ports: LogPorts, entry: LogEntry): Promise<LogDetail> {
  const { run_id, iter } = entry;
  const answer = await ports.iterations.read({ run_id, iter, name: 'output.json' }, answerBytesMax);
  const parsed = parseAgentOutput(answer);
  return {
    ...entry,
    summary: parsed.ok ? parsed.output.summary : null,
    error: await loadError(ports.iterations, entry),
    files: await ports.iterations.listFiles(entry),
  };
}

async function loadError(iterations: IterationReader, { run_id, iter }: LogEntry): Promise<string | null> {
  for (const name of ['runner_error.log', 'agent_error.log']) {
    const source = await iterations.read({ run_id, iter, name }, 4 * errorTextBytesMax);
    if (source.kind === 'text') return firstLine(source.text);
  }
  return null;
}

/** The entry of this number, among those of the run or of one node of it. Throws LOG_MISSING. */
export function findEntry(
  entries: readonly LogEntry[],
  place: IterationPlace & { readonly node: string | null },
): LogEntry {
  const found = entries.find(({ iter }) => iter === place.iter);
  if (found !== undefined) return found;
  const [first] = entries;
  const last = entries.at(-1);
  const known =
    first === undefined || last === undefined
      ? 'it has none here; logs are not in git, so a fresh clone has none'
      : `it has iterations ${first.iter} to ${last.iter}`;
  throw new RunnerError({
    code: 'LOG_MISSING',
    message: `run ${place.run_id} has no log of iteration ${place.iter}${place.node === null ? '' : ` on node ${place.node}`}: ${known}`,
    hint: 'runner log',
  });
}

/** The file's text, clean for a terminal, piece by piece. Throws LOG_MISSING when there is no such file. */
export async function streamLog(
  iterations: IterationReader,
  place: LogPlace,
  onText: (text: string) => Promise<boolean>,
): Promise<void> {
  const clean = cleanStream();
  const hand = async (text: string): Promise<boolean> => text === '' || onText(text);
  const ended = await iterations.stream(place, (piece) => hand(clean.add(piece)));
  if (ended.kind === 'read') {
    await hand(clean.end());
    return;
  }
  throw new RunnerError({
    code: 'LOG_MISSING',
    message:
      ended.kind === 'missing'
        ? `iteration ${place.iter} of run ${place.run_id} has no ${place.name}`
        : ended.message,
    hint: `runner log ${place.iter} --run ${place.run_id} (its files)`,
  });
}

function didYouMean(word: string | null): string {
  return word === null ? '' : `; did you mean ${word}?`;
}
