/** What a new `.runner/` holds (§2): texts of the files `init` writes. Decides contents, writes nothing. */
import { renderTree } from '../tree/canonical-json.ts';
import { renderRunState, defaultRunState } from './run-state.ts';
import type { TreeNode } from '../types.ts';

export const localFolders = ['context', 'iterations'] as const;

/** A node may be called `context`: its sidecars are tracked like any other. */
export const gitignoreText = `${localFolders.map((folder) => `${folder}/`).join('\n')}\n!/nodes/**/\n.runner-stage-*\n`;

/** In each local folder: logs stay ignored on branches without `.runner/.gitignore`, too (§2). */
export const ignoreAllText = '*\n';

/** Git must store these files byte for byte, or hashes and comparisons would lie. */
export const gitattributesText = '* -text -filter -ident -working-tree-encoding\n';

export const goalTemplate = `# Goal

Describe here what the project should do when it is finished: what exists, how it behaves, how to see that it works.
`;

/** A goal that says nothing: empty, or as `init` made it. */
export function isPlaceholder(body: string): boolean {
  const text = body.trim();
  return text === '' || text === goalTemplate.trim();
}

export const memoryFiles = {
  'state/assumptions.md': '# Assumptions\n\n',
  'state/questions.md': '# Open Questions\n\n',
  'state/feedback.md': '# Feedback\n\n',
  'state/improvements.md': '# Improvements\n\n',
} as const;

export function initialTree(maxAttempts: number): TreeNode {
  return {
    id: 'root',
    order: 0,
    title: 'Root',
    goal: 'Top-level goal (see .runner/GOAL.md)',
    acceptance: [],
    passes: false,
    attempts: 0,
    max_attempts: maxAttempts,
    children: [],
  };
}

/** State of a run that has not begun. */
export function freshState(input: {
  readonly runId: string | null;
  readonly maxAttempts: number;
}): Readonly<Record<string, string>> {
  return {
    'state/tree.json': renderTree(initialTree(input.maxAttempts)),
    'state/run_state.json': renderRunState({ ...defaultRunState, run_id: input.runId }),
  };
}

/** Adds missing lines to a text that people may have extended; their lines stay as they are. */
export function withLines(text: string, required: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const missing = required.split('\n').filter((line) => line !== '' && !lines.includes(line));
  if (missing.length === 0) return text;
  const base = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `${base}${missing.join('\n')}\n`;
}
