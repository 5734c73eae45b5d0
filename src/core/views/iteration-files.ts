/** The files of an iteration that may be asked for, and no others. Pure. */

const names = [
  'prompt.md',
  'executor.log',
  'guard.log',
  'guard.ratchet.log',
  'guard.clone.log',
  'guard.counterfactual.log',
  'setup.log',
  'events.jsonl',
  'diff.patch',
  'tree.before.json',
  'tree.after.json',
  'tree.agent.json',
  'output.json',
  'meta.json',
  'review.log',
  'review.json',
  'review.patch',
  'runner_error.log',
  'agent_error.log',
] as const;

type SessionFileName =
  | 'executor.log'
  | 'output.json'
  | 'tree.agent.json'
  | 'review.log'
  | 'review.json'
  | 'review.patch';

/** Those of a session that another one followed are numbered. */
export type IterationFileName = (typeof names)[number] | `${SessionFileName}-${number}`;

const numbered =
  /^(?:executor\.log|output\.json|tree\.agent\.json|review\.(?:log|json|patch))-[1-9][0-9]{0,5}$/u;

export function isIterationFile(name: string): name is IterationFileName {
  return names.some((each) => each === name) || numbered.test(name);
}

/** The log of the agent's last session: while the runner waits for a further one, it has stepped aside already. */
export function lastSessionLog(files: readonly { readonly name: string }[]): IterationFileName {
  const counts = files.map(({ name }) => Number(/^executor\.log-([1-9][0-9]*)$/u.exec(name)?.[1] ?? 0));
  const last = Math.max(0, ...counts);
  const isThere = files.some(({ name }) => name === 'executor.log');
  return isThere || last === 0 ? 'executor.log' : `executor.log-${last}`;
}
