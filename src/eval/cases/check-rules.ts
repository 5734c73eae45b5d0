/** Judges the checks of a case that need only loaded data: texts, the tree, numbers. It opens no file and starts no program. */
import { renderArgv } from '../../core/text/argv-text.ts';
import type { CheckResult, EvalCheck } from './types.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { walkTree } from '../../core/tree/tree-walk.ts';
import type { TreeNode } from '../../core/types.ts';

export const checkTypes = [
  'file_exists',
  'file_contains',
  'command_succeeds',
  'command_fails',
  'runner_completed',
  'max_iterations_used',
  'tree',
] as const satisfies readonly EvalCheck['type'][];

type CheckOf<T extends EvalCheck['type']> = Extract<EvalCheck, { readonly type: T }>;

export interface CheckJudgement {
  readonly passed: boolean;
  /** One line: why it did not pass; null when it did. */
  readonly detail: string | null;
}

const passed: CheckJudgement = { passed: true, detail: null };

function refused(detail: string): CheckJudgement {
  return { passed: false, detail };
}

/** `file_exists(main.go)`: what reports call the check. */
export function checkLabel(check: EvalCheck): string {
  switch (check.type) {
    case 'file_exists':
      return `${check.type}(${cleanLine(check.path)})`;
    case 'file_contains':
      return `${check.type}(${cleanLine(check.path)} ${wanted(check)})`;
    case 'command_succeeds':
    case 'command_fails':
      return `${check.type}(${cutTo(renderArgv(check.cmd), commandLengthMax)})`;
    case 'runner_completed':
      return check.type;
    case 'max_iterations_used':
      return `${check.type}(${check.max})`;
    case 'tree':
      return `${check.type}(${treeTerms(check).join(' ')})`;
  }
}

const wantedLengthMax = 60;
/** Of a script in a command the beginning is enough; the case file has all of it. */
const commandLengthMax = 80;

function cutTo(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
}

/** What is looked for, so that two checks of one file can be told apart. */
function wanted({ text, pattern }: CheckOf<'file_contains'>): string {
  const shown = cleanLine(pattern === null ? JSON.stringify(text) : `/${pattern}/`);
  return cutTo(shown, wantedLengthMax);
}

const treeKeys = ['passes', 'min_nodes', 'max_nodes', 'max_depth'] as const;

function treeTerms(check: CheckOf<'tree'>): readonly string[] {
  return treeKeys.filter((key) => check[key] !== null).map((key) => `${key}=${check[key]}`);
}

/** The entry of checks.json for a check without a command. */
export function checkResult(check: EvalCheck, judged: CheckJudgement): CheckResult {
  return { type: check.type, label: checkLabel(check), passed: judged.passed, detail: judged.detail };
}

/** `^` and `$` match at every line; the rest is as strict as the language allows. */
export const patternFlags = 'mu';

/** Whether a pattern matches; null: it took too long to say. */
export type Matcher = (pattern: string, content: string) => boolean | null;

/** `content` is null when there is no such file that can be read. */
export function judgeFileContains(
  check: CheckOf<'file_contains'>,
  content: string | null,
  matches: Matcher = (pattern, text) => new RegExp(pattern, patternFlags).test(text),
): CheckJudgement {
  const path = cleanLine(check.path);
  if (content === null) return refused(`${path} cannot be read`);
  const { pattern, text } = check;
  const isFound = pattern === null ? content.includes(String(text)) : matches(pattern, content);
  if (isFound === null) return refused(`it took too long to look for ${wanted(check)} in ${path}`);
  return isFound ? passed : refused(`${path} does not contain ${wanted(check)}`);
}

export function judgeIterations({ max }: CheckOf<'max_iterations_used'>, used: number): CheckJudgement {
  return used <= max ? passed : refused(`${used} iterations were used, more than ${max}`);
}

/** `exit_code` is that of the loop. */
export function judgeCompleted(exit_code: number | null): CheckJudgement {
  if (exit_code === 0) return passed;
  return refused(
    exit_code === null ? 'the loop did not end by itself' : `the loop ended with exit code ${exit_code}`,
  );
}

/** `tree` is the final one; null when it cannot be read. */
export function judgeTree(check: CheckOf<'tree'>, tree: TreeNode | null): CheckJudgement {
  if (tree === null) return refused('the tree cannot be read');
  const visits = walkTree(tree);
  const nodes = visits.length;
  const depth = visits.reduce((deepest, visit) => Math.max(deepest, visit.depth), 0);
  const faults: string[] = [];
  if (check.passes !== null && tree.passes !== check.passes)
    faults.push(`the tree ${tree.passes ? 'has passed' : 'has not passed'}`);

  if (check.min_nodes !== null && nodes < check.min_nodes)
    faults.push(`${nodes} nodes are fewer than ${check.min_nodes}`);

  if (check.max_nodes !== null && nodes > check.max_nodes)
    faults.push(`${nodes} nodes are more than ${check.max_nodes}`);

  if (check.max_depth !== null && depth > check.max_depth)
    faults.push(`the tree is ${depth} levels deep, more than ${check.max_depth}`);

  return faults.length === 0 ? passed : refused(faults.join('; '));
}
