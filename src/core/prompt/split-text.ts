/** When a session splits its node and what it may do to the tree, in words (§5, §6): every rule that an agent is judged by. */
import { nodeTextBytesMax, titleBytesMax, treeDepthMax } from '../limits.ts';
import type { Purpose } from '../types.ts';

export const statusRules = [
  'Your answer has one of three statuses:',
  '- `done`: the goal is reached and every acceptance item holds. Add no children, and leave title, goal and acceptance',
  '  of the current node as they are.',
  '- `retry`: not finished, another session should go on. Uses up one attempt. Add no children; say in the summary what',
  '  is there and what is missing.',
  '- `decomposed`: you split the node instead of doing it. Demands at least one new child. The guard does not run.',
].join('\n');

/** `time`: what one session has. */
export function splitRules(purpose: Purpose, time: string): string {
  const when =
    purpose === 'plan'
      ? ['How to split: find out from history and failure why it did not succeed, and cut it there.']
      : [
          'When to split: by default you do the work yourself, in this session. Split only',
          `- if it will not fit into ${time}, or`,
          '- if it spans parts with a boundary of their own, each of which can be checked.',
        ];
  return [
    ...when,
    'Rules for children:',
    '- A child is a vertical slice: one piece of behaviour together with its tests and documents. Never "implement" in one',
    '  child and "test" or "document" in another.',
    `- Each fits one session (${time}), and the guard can pass right after it. No child needs a later one.`,
    '- Together they cover every acceptance item of the node, and nothing twice. As few as that takes, side by side.',
    '- Write each goal so that a session which knows only that child, the nodes above it and the project can do it. Make',
    '  acceptance items checkable.',
  ].join('\n');
}

export const decomposeRules = [
  'How to decompose: either list the children in `children` of the answer (the runner makes the nodes), or add them to',
  'the current node in `.runner/state/tree.json`. Never both.',
  '- In the answer a child is `{"title": "…", "goal": "…", "acceptance": ["…"]}`, and list order is working order.',
  `- A title has at most ${titleBytesMax} bytes, goal and acceptance together at most ${nodeTextBytesMax}.`,
].join('\n');

export function treeRules(purpose: Purpose, allowRemoval: boolean): string {
  const isRepair = purpose === 'repair';
  const keep = isRepair ? '' : ' but the current one';
  return [
    'Rules for the tree file `.runner/state/tree.json`:',
    '- Never change, move or remove a node with `"passes": true`.',
    "- `passes`, `attempts` and `max_attempts` are the runner's: whatever you write there is undone.",
    allowRemoval
      ? `- You may edit, reorder and remove open nodes${keep}. You may add nodes under, or move open ones to, a node that`
      : '- Never remove an open node. You may edit and reorder open nodes, and add nodes under, or move them to, a node that',
    '  already has children. An open node with children keeps an open node below it.',
    ...(isRepair ? [] : ['- No open leaf but the current node may get children.']),
  ].join('\n');
}

export const treeShape = [
  'A node in the tree file has exactly these keys:',
  '',
  '    {"id": "api.1", "order": 0, "title": "…", "goal": "…", "acceptance": ["…"], "passes": false, "attempts": 0,',
  '     "max_attempts": 3, "children": []}',
  '',
  '- `id` is unique in the tree ignoring case: letters, digits, `.`, `_`, `-`, first a letter or digit, at most 128.',
  `- \`order\` is an integer; siblings are worked in this order. The tree is at most ${treeDepthMax} levels deep.`,
].join('\n');
