/**
 * Draws the visible part of a tree on a canvas. The work is bounded by the pixels, not by the nodes: nodes on the same pixel
 * are drawn once, and at small scale there is no text.
 */
import type { TreeNode } from '../../core/types.ts';
import type { NodeState } from '../../core/views/overview.ts';
import { boxHeight, boxWidth, rowHeight } from './tree-layout.ts';
import type { PlacedNode, Size, TreeLayout, View } from './tree-layout.ts';
import { splitVisible } from '../../core/text/visible.ts';

export interface Colours {
  readonly box: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
  readonly found: string;
  readonly states: Readonly<Record<NodeState, string>>;
}

export interface PaintInput {
  readonly layout: TreeLayout;
  readonly view: View;
  readonly size: Size;
  readonly colours: Colours;
  readonly activeId: string | null;
  readonly currentId: string | null;
  readonly found: ReadonlySet<string>;
  /** Attempts, time and cost of a node; empty: nothing was tried. */
  readonly workOf: (node: TreeNode) => string;
}

const textScaleMin = 0.5;
const boxScaleMin = 0.22;
const font = '13px ui-sans-serif, system-ui, sans-serif';
const signs: Readonly<Record<NodeState, string>> = {
  passed: '✓',
  derived: '◇',
  stuck: '■',
  retrying: '↻',
  open: '○',
};

export function paintTree(context: CanvasRenderingContext2D, input: PaintInput): void {
  const { view, size, layout } = input;
  context.clearRect(0, 0, size.width, size.height);
  const seen = layout.nodes.filter((node) => isInSight(node, view, size));
  paintLines(context, input);
  if (view.scale < boxScaleMin) paintDots(context, input, seen);
  else for (const node of seen) paintBox(context, input, node);
}

function isInSight({ x, y }: PlacedNode, view: View, size: Size): boolean {
  const left = x * view.scale + view.x;
  const centre = y * view.scale + view.y;
  const half = rowHeight * view.scale;
  return (
    left < size.width && left + boxWidth * view.scale > 0 && centre + half > 0 && centre - half < size.height
  );
}

function paintLines(context: CanvasRenderingContext2D, { layout, view, size, colours }: PaintInput): void {
  const { scale } = view;
  const isNear = scale >= boxScaleMin;
  context.strokeStyle = colours.line;
  context.lineWidth = Math.max(0.5, Math.min(1.5, scale * 1.5));
  context.beginPath();
  for (const node of layout.nodes) {
    const { firstChild, lastChild } = node;
    if (firstChild === null || lastChild === null) continue;
    const from = (node.x + boxWidth) * scale + view.x;
    const to = firstChild.x * scale + view.x;
    const top = firstChild.y * scale + view.y;
    const bottom = lastChild.y * scale + view.y;
    const centre = node.y * scale + view.y;
    const isAway =
      from > size.width || to < 0 || Math.max(bottom, centre) < 0 || Math.min(top, centre) > size.height;
    if (isAway) continue;
    const middle = (from + to) / 2;
    context.moveTo(from, centre);
    context.lineTo(middle, centre);
    context.moveTo(middle, Math.max(-1, Math.min(top, centre)));
    context.lineTo(middle, Math.min(size.height + 1, Math.max(bottom, centre)));
    if (!isNear) continue;
    for (const child of node.shown.node.children) {
      const placed = layout.byId.get(child.id);
      if (placed === undefined) continue;
      const y = placed.y * scale + view.y;
      if (y < 0 || y > size.height) continue;
      context.moveTo(middle, y);
      context.lineTo(to, y);
    }
  }
  context.stroke();
}

/** Far away: one bar a node, and one for all that share a pixel and a state. */
function paintDots(context: CanvasRenderingContext2D, input: PaintInput, seen: readonly PlacedNode[]): void {
  const { view, colours, activeId, currentId, found } = input;
  const height = Math.max(1, boxHeight * view.scale);
  const width = Math.max(2, boxWidth * view.scale);
  const lastY = new Map<number, string>();
  for (const node of seen) {
    const { id } = node.shown.node;
    const isSpecial = id === activeId || id === currentId || found.has(id);
    const y = Math.round(node.y * view.scale + view.y - height / 2);
    const place = `${y}${node.shown.state}`;
    if (!isSpecial && lastY.get(node.x) === place) continue;
    lastY.set(node.x, place);
    // The pale colours of near boxes would not be seen here.
    context.fillStyle = isSpecial ? colours.text : colours.states[node.shown.state];
    const grow = isSpecial ? 2 : 0;
    context.fillRect(node.x * view.scale + view.x - grow, y - grow, width + 2 * grow, height + 2 * grow);
  }
}

function paintBox(context: CanvasRenderingContext2D, input: PaintInput, placed: PlacedNode): void {
  const { view, colours, activeId, currentId, found, workOf } = input;
  const { scale } = view;
  const { node, state, isFolded } = placed.shown;
  const x = placed.x * scale + view.x;
  const y = (placed.y - boxHeight / 2) * scale + view.y;
  const [width, height] = [boxWidth * scale, boxHeight * scale];
  context.fillStyle =
    node.id === currentId ? colours.accent : found.has(node.id) ? colours.found : colours.box;
  context.beginPath();
  context.roundRect(x, y, width, height, 4 * scale);
  context.fill();
  const isActive = node.id === activeId;
  context.strokeStyle = isActive ? colours.text : colours.line;
  context.lineWidth = isActive ? 2 : 1;
  context.stroke();
  const isCurrent = node.id === currentId;
  // Grey is hard to read on its blue.
  const muted = isCurrent ? colours.text : colours.muted;
  context.fillStyle = isCurrent && state === 'open' ? colours.text : colours.states[state];
  if (scale < textScaleMin) {
    context.fillRect(x, y, Math.max(3, 8 * scale), height);
    return;
  }
  context.textBaseline = 'middle';
  const work = workOf(node);
  // A node without a second line has its first one in the middle.
  const middle = y + height / 2 + scale - (work === '' ? 0 : 8 * scale);
  context.font = `${13 * scale}px ${font.slice(5)}`;
  context.fillText(signs[state], x + 7 * scale, middle, 12 * scale);
  context.fillStyle = colours.text;
  context.fillText(fitTitle(context, node.title, isFolded), x + 22 * scale, middle);
  context.fillStyle = muted;
  if (isFolded) {
    context.textAlign = 'right';
    context.fillText(`+${node.children.length}`, x + width - 6 * scale, middle);
    context.textAlign = 'left';
  }
  if (work === '') return;
  context.font = `${11 * scale}px ${font.slice(5)}`;
  context.fillText(work, x + 22 * scale, middle + 16 * scale, width - 28 * scale);
}

const fitted = new Map<string, string>();

/** As much of a title as fits, measured once. Hidden characters are named here too. */
function fitTitle(context: CanvasRenderingContext2D, title: string, isFolded: boolean): string {
  const key = `${isFolded ? 1 : 0}${title.slice(0, 200)}`;
  const known = fitted.get(key);
  if (known !== undefined) return known;
  const room = boxWidth - 30 - (isFolded ? 36 : 0);
  const before = context.font;
  context.font = font;
  const chars = Array.from(
    splitVisible(title.slice(0, 200).replaceAll(/\s+/gu, ' '))
      .map(({ text, isMark }) => (isMark ? `⟨${text}⟩` : text))
      .join(''),
  );
  let fit = chars.join('');
  for (let end = chars.length; context.measureText(fit).width > room && end > 1; end -= 1)
    fit = `${chars.slice(0, end - 1).join('')}…`;

  context.font = before;
  if (fitted.size > 20_000) fitted.clear();
  fitted.set(key, fit);
  return fit;
}

export function readColours(element: Element): Colours {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--paint-${name}`).trim();
  return {
    box: colour('box'),
    text: colour('text'),
    muted: colour('muted'),
    line: colour('line'),
    accent: colour('accent'),
    found: colour('found'),
    states: {
      passed: colour('passed'),
      derived: colour('derived'),
      stuck: colour('stuck'),
      retrying: colour('retrying'),
      open: colour('open'),
    },
  };
}
