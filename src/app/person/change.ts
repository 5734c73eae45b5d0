/** Any change that can wait in the queue (§12): whether it applies to the last commit, and the commit that it becomes. */
import { RunnerError } from '../../core/errors.ts';
import { isTreeEdit } from '../../core/runs/person-change.ts';
import type { PersonChange } from '../../core/runs/person-change.ts';
import { planRetry } from '../../core/tree/person-edit.ts';
import type { Refusal } from '../../core/tree/person-edit.ts';
import { parseTree } from '../../core/tree/tree-schema.ts';
import type { TreeNode } from '../../core/types.ts';
import type { GitPort } from '../../ports/git.ts';
import { requireCleanFile, requireRepository } from './commit.ts';
import { commitConfig, configPath, planConfig } from './config.ts';
import type { ConfigText, ReadPorts } from './config.ts';
import { answersPath, commitAnswer, findAsked } from './questions.ts';
import { commitRetry } from './retry.ts';
import { commitEdit, openTree, planEditOf, treePath } from './tree.ts';
import type { OpenTree, TreePorts } from './tree.ts';

export type ChangePorts = TreePorts & ReadPorts;

/** Contract: the lock is held. Throws when this is no place for the commit of this change; null: for none at all. */
export async function openFor(ports: ChangePorts, change: PersonChange | null): Promise<OpenTree> {
  const open = await openTree(ports);
  if (change?.kind === 'answer') await requireCleanFile(open.place, `.runner/${answersPath}`);
  if (change?.kind === 'config') await requireCleanFile(open.place, `.runner/${configPath}`);
  return open;
}

/** A change from the queue, as its own commit. Contract: `openFor` said yes. */
export async function commitChange(
  ports: ChangePorts,
  open: OpenTree,
  { edit: change, id: entryId }: { readonly edit: PersonChange; readonly id: string },
): Promise<{ readonly ok: true } | Refusal> {
  if (isTreeEdit(change)) return commitEdit(ports, open, { edit: change, entryId });
  switch (change.kind) {
    case 'retry':
      return commitRetry(ports, open, { word: change.node, maxAttempts: change.max_attempts, entryId });
    case 'answer':
      return commitAnswer(ports, open.place, { id: change.question, text: change.text, entryId });
    case 'config':
      return commitConfig(ports, open.place, { key: change.key, typed: change.typed, entryId });
  }
}

/** The last commit with the changes that wait. */
interface Ahead {
  readonly tree: TreeNode;
  readonly config: ConfigText;
}

/** Contract: reads only, and nothing that a session at work may have written. Throws the refusal of a change that does not apply. */
export async function requireApplies(
  ports: ChangePorts,
  waiting: readonly PersonChange[],
  change: PersonChange,
): Promise<void> {
  const { git } = requireRepository(ports);
  let ahead: Ahead = { tree: await loadCommittedTree(git), config: await loadCommittedText(ports, git) };
  for (const one of waiting) {
    const plan = await planAhead(ports, ahead, one);
    if (plan.ok) ({ ahead } = plan);
  }
  const plan = await planAhead(ports, ahead, change);
  if (!plan.ok) throw new RunnerError(plan);
}

async function planAhead(
  ports: ChangePorts,
  ahead: Ahead,
  change: PersonChange,
): Promise<{ readonly ok: true; readonly ahead: Ahead } | Refusal> {
  if (isTreeEdit(change)) {
    const plan = await planEditOf(ports, ahead.tree, change);
    return plan.ok ? { ok: true, ahead: { ...ahead, tree: plan.tree } } : plan;
  }
  switch (change.kind) {
    case 'retry': {
      const { max_attempts_default } = await ports.configs.parse(ahead.config.text);
      const { node: word, max_attempts: maxAttempts } = change;
      const plan = planRetry({
        tree: ahead.tree,
        word,
        maxAttempts,
        maxAttemptsDefault: max_attempts_default,
      });
      return plan.ok ? { ok: true, ahead: { ...ahead, tree: plan.tree } } : plan;
    }
    case 'answer': {
      const asked = await findAsked(ports, { id: change.question, text: change.text });
      return asked.ok ? { ok: true, ahead } : asked;
    }
    case 'config': {
      const plan = await planConfig(ports, ahead.config, change);
      return plan.ok ? { ok: true, ahead: { ...ahead, config: plan } } : plan;
    }
  }
}

/** While a session is open the files on disk are the session's. */
export async function loadCommittedTree(git: Pick<GitPort, 'loadText'>): Promise<TreeNode> {
  const parsed = parseTree(await git.loadText({ commit: 'HEAD', path: `.runner/${treePath}` }));
  if (parsed.ok) return parsed.tree;
  throw new RunnerError({
    code: 'TREE_INVALID',
    message: 'the tree of the last commit is not valid',
    details: parsed.violations.map(({ path, message }) => `${path}: ${message}`),
    hint: 'runner validate',
  });
}

async function loadCommittedText(
  { configFile }: ReadPorts,
  git: Pick<GitPort, 'loadText'>,
): Promise<ConfigText> {
  const source = await git.loadText({ commit: 'HEAD', path: `.runner/${configPath}` });
  const text = source.kind === 'text' ? source.text : '';
  return { text, file: (await configFile.parse(text)).value };
}
