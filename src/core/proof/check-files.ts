/** Checks which files of `.runner/` a commit changes (§2, §15): an iteration leaves alone what is not the agent's, a person's command all but its own. */
import { ownerOf } from '../iteration/ownership.ts';
import type { Outcome } from '../iteration/outcome-row.ts';
import type { ReadIteration } from './check-iteration.ts';
import { problem } from './problem.ts';
import type { Change, Problem } from './transition.ts';

/** Checked as a whole elsewhere. */
const derived = ['state/tree.json', 'state/run_state.json'];

export function checkInside({ facts, transition }: ReadIteration, outcome: Outcome): Problem | null {
  const { node_id } = transition.subject;
  const wrong = facts.inside.find((change) => !isAllowed(change, { node: node_id, outcome }));
  if (wrong !== undefined) return changed(wrong);
  return outcome.rejected.action === 'remove' && facts.after.rejected.kind !== 'missing'
    ? problem('.runner/state/tree.rejected.json', 'no such file', 'a file')
    : null;
}

function changed({ path, file }: Change): Problem {
  return problem(`.runner/${path}`, 'unchanged', file === null ? 'removed' : file.oid);
}

function isAllowed(
  { path, file }: Change,
  { node, outcome }: { readonly node: string; readonly outcome: Outcome },
): boolean {
  if (derived.includes(path)) return true;
  if (path === 'state/tree.rejected.json') return outcome.rejected.action !== 'keep';
  const [, of = ''] = /^nodes\/([^/]+)\/last\.json$/u.exec(path) ?? [];
  if (of !== '') {
    if (outcome.forgetLast.includes(of)) return file === null;
    return of === node && outcome.last.action === 'write' && file !== null;
  }
  const owner = ownerOf(path);
  return owner === 'agent' || owner === 'local';
}

const ownFiles: ReadonlyMap<string, RegExp> = new Map([
  ...['add', 'import', 'move', 'edit', 'retry'].map(
    (name) => [name, /^(?:state\/tree\.json|nodes\/[^/]+\/last\.json)$/u] as const,
  ),
  ['drop', /^(?:state\/tree\.json|nodes\/[^/]+\/(?:last|dropped)\.json)$/u],
  ['answer', /^state\/answers\.md$/u],
  ['config set', /^state\/config\.toml$/u],
  ['config unset', /^state\/config\.toml$/u],
  ['update', /^$/u],
]);

/** Null: it is no command that the proof knows. */
export function personsFiles(command: string): RegExp | null {
  return ownFiles.get(command) ?? null;
}

/** The paths relative to `.runner/` may be changed, and outside of it nothing but what `update` brings. */
export function checkPersonsFiles(
  command: string,
  { inside, outside }: { readonly inside: readonly Change[]; readonly outside: readonly string[] },
): Problem | null {
  const wrong = inside.find(({ path }) => personsFiles(command)?.test(path) !== true);
  if (wrong !== undefined) return changed(wrong);
  const [path] = command === 'update' ? [] : outside;
  return path === undefined ? null : problem(path, 'unchanged', `changed by ${command}`);
}
