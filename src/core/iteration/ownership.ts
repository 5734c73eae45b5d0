/**
 * Decides who owns a file under `.runner/` (§2): files that the agent does not own are put back after every session. Never
 * looks at the disk.
 */

/** `tree` is judged on its own (§3, §5); `local` is ignored by git and rewritten or appended by the runner. */
export type Owner = 'runner' | 'human' | 'agent' | 'tree' | 'local';

const owners: ReadonlyMap<string, Owner> = new Map<string, Owner>([
  ['.gitattributes', 'runner'],
  ['.gitignore', 'runner'],
  ['GOAL.md', 'human'],
  ['state/agent_output.schema.json', 'runner'],
  ['state/answers.md', 'human'],
  ['state/config.schema.json', 'runner'],
  ['state/config.toml', 'human'],
  ['state/run_state.json', 'runner'],
  ['state/schema.json', 'runner'],
  ['state/script.schema.json', 'runner'],
  ['state/tree.json', 'tree'],
  ['state/tree.rejected.json', 'runner'],
]);

const sidecars: ReadonlyMap<string, Owner> = new Map<string, Owner>([
  ['context.md', 'human'],
  ['dropped.json', 'runner'],
  ['last.json', 'runner'],
  ['tools.json', 'human'],
]);

/** `path` is relative to `.runner/`, with `/` between its parts. */
export function ownerOf(path: string): Owner {
  const [folder, , file, ...below] = path.split('/');
  if (folder === 'context' || folder === 'iterations') return 'local';
  if (folder === 'nodes' && file !== undefined && below.length === 0) return sidecars.get(file) ?? 'agent';
  return owners.get(path) ?? 'agent';
}
