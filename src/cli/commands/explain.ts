/** `runner explain`: what comes next and why, or a node, or an error code; read-only. */
import { explain } from '../../app/views/explain.ts';
import type { Explained } from '../../app/views/explain.ts';
import { errorCodes, RunnerError } from '../../core/errors.ts';
import type { ErrorCode } from '../../core/errors.ts';
import { suggest } from '../../core/text/suggest.ts';
import { walkTree } from '../../core/tree/tree-walk.ts';
import type { Visit } from '../../core/tree/tree-walk.ts';
import type { TreeNode } from '../../core/types.ts';
import { exitCodes } from '../exit-codes.ts';
import { printErrorText, printExplained, printPrompt } from '../output/explain-text.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';
import { openExplain } from '../wire/explain.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const [asked] = call.args;
  const withPrompt = call.options['prompt'] === true;
  const code = asked === undefined ? null : await findCode(settings, asked);
  if (code !== null) {
    if (withPrompt) throw noPrompt(`${code} is an error code`, `runner explain ${code}`);
    await printErrorText(settings, code);
    return exitCodes.ok;
  }
  const ports = await openExplain(settings, call.overrides);
  const explained = await explain(ports, (tree) => (asked === undefined ? null : requireNode(tree, asked)));
  if (withPrompt) requirePrompt(explained);
  if (withPrompt && !settings.json) printPrompt(settings, explained);
  else printExplained(settings, explained, { withPrompt });
  return exitCodes.ok;
}

/**
 * In capitals a word is a code; else a node of that name goes first, because nodes are the user's own. Without a readable tree there
 * are only codes.
 */
async function findCode(settings: Settings, word: string): Promise<ErrorCode | null> {
  const code = errorCodes.find((known) => known === word.toUpperCase()) ?? null;
  if (code === word) return code;
  const tree = await loadTree(settings).catch((error: unknown) => {
    if (!(error instanceof RunnerError)) throw error;
    const near = suggest(word.toUpperCase(), errorCodes);
    if (code !== null) return null;
    throw near === null ? error : unknownWord(word, near);
  });
  return tree !== null && findNode(tree, word) !== null ? null : code;
}

async function loadTree(settings: Settings): Promise<TreeNode> {
  return (await openExplain(settings, [])).trees.load();
}

/** Ids are unique ignoring case (§3). */
function findNode(tree: TreeNode, word: string): Visit | null {
  const wanted = word.toLowerCase();
  return walkTree(tree).find(({ node }) => node.id.toLowerCase() === wanted) ?? null;
}

function requireNode(tree: TreeNode, word: string): Visit {
  const found = findNode(tree, word);
  if (found !== null) return found;
  const ids = walkTree(tree).map(({ node }) => node.id);
  throw unknownWord(word, suggest(word, ids) ?? suggest(word.toUpperCase(), errorCodes));
}

function unknownWord(word: string, near: string | null): RunnerError {
  const meant = near === null ? '' : ` (did you mean ${near}?)`;
  return new RunnerError({
    code: 'USAGE',
    message: `there is no node or error code '${word}'${meant}`,
    hint:
      near === null ? 'runner explain, or for the codes: runner help exit-codes' : `runner explain ${near}`,
  });
}

function requirePrompt({ prompt, node, selection }: Explained): void {
  if (prompt instanceof RunnerError) throw prompt;
  if (prompt !== null) return;
  throw node === null
    ? noPrompt(`the run is ${selection.kind}`, 'runner explain')
    : noPrompt(`'${node.visit.node.id}' gets no session`, `runner explain ${node.visit.node.id}`);
}

function noPrompt(why: string, hint: string): RunnerError {
  return new RunnerError({ code: 'USAGE', message: `there is no prompt to show: ${why}`, hint });
}
