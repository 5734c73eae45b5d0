/** Positions of the nodes of a drawn tree: depth to the right, siblings below each other (d3-hierarchy). Pure; knows no canvas. */
import { hierarchy, tree } from 'd3-hierarchy';
import type { ShownNode } from './tree-fold.ts';

export interface PlacedNode {
  readonly shown: ShownNode;
  readonly x: number;
  readonly y: number;
  readonly parent: PlacedNode | null;
  readonly firstChild: PlacedNode | null;
  readonly lastChild: PlacedNode | null;
}

export interface TreeLayout {
  /** Parents before children. */
  readonly nodes: readonly PlacedNode[];
  readonly byId: ReadonlyMap<string, PlacedNode>;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const columnWidth = 274;
export const rowHeight = 44;
export const boxWidth = 230;
export const boxHeight = 36;

interface Branch {
  readonly shown: ShownNode;
  readonly children: Branch[];
}

type Placing = { -readonly [Key in keyof PlacedNode]: PlacedNode[Key] };

export function layTree(shown: readonly ShownNode[]): TreeLayout {
  const [root] = shown;
  if (root === undefined) return { nodes: [], byId: new Map(), left: 0, top: 0, right: 0, bottom: 0 };
  const branches = new Map<string, Branch>();
  for (const item of shown) {
    const branch: Branch = { shown: item, children: [] };
    branches.set(item.node.id, branch);
    if (item.parent !== null) branches.get(item.parent.id)?.children.push(branch);
  }
  const top = hierarchy(branches.get(root.node.id) ?? { shown: root, children: [] });
  const placed = tree<Branch>()
    .nodeSize([rowHeight, columnWidth])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.25))(top);
  const byId = new Map<string, Placing>();
  const nodes: Placing[] = [];
  placed.eachBefore(({ data, x, y, parent }) => {
    const above = parent === null ? null : (byId.get(parent.data.shown.node.id) ?? null);
    const node: Placing = { shown: data.shown, x: y, y: x, parent: above, firstChild: null, lastChild: null };
    if (above !== null) {
      above.firstChild ??= node;
      above.lastChild = node;
    }
    byId.set(data.shown.node.id, node);
    nodes.push(node);
  });
  let [low, high, far] = [0, 0, 0];
  for (const { x, y } of nodes) {
    low = Math.min(low, y);
    high = Math.max(high, y);
    far = Math.max(far, x);
  }
  const half = boxHeight / 2;
  return { nodes, byId, left: 0, top: low - half, right: far + boxWidth, bottom: high + half };
}

export interface View {
  /** Screen = world × scale + offset. */
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

const scaleMin = 0.02;
const scaleMax = 2;

/** The same view, nearer or farther, with the point under the pointer where it is. */
export function zoomAt(view: View, point: { readonly x: number; readonly y: number }, factor: number): View {
  const scale = Math.min(scaleMax, Math.max(scaleMin, view.scale * factor));
  const ratio = scale / view.scale;
  return { scale, x: point.x - (point.x - view.x) * ratio, y: point.y - (point.y - view.y) * ratio };
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const margin = 24;

export function fitView(layout: TreeLayout, size: Size): View {
  const scale = Math.min(
    1,
    Math.max(
      scaleMin,
      Math.min(
        (size.width - 2 * margin) / Math.max(1, layout.right - layout.left),
        (size.height - 2 * margin) / Math.max(1, layout.bottom - layout.top),
      ),
    ),
  );
  const middle = ((layout.top + layout.bottom) / 2) * scale;
  return { scale, x: margin - layout.left * scale, y: size.height / 2 - middle };
}

/** Moved as little as needed to have the node in sight. */
export function keepInSight(view: View, node: PlacedNode, size: Size): View {
  const { scale } = view;
  const left = node.x * scale + view.x;
  const right = left + boxWidth * scale;
  const centre = node.y * scale + view.y;
  const edge = margin + (boxHeight / 2) * scale;
  const dx = left < margin ? margin - left : right > size.width - margin ? size.width - margin - right : 0;
  const dy = centre < edge ? edge - centre : centre > size.height - edge ? size.height - edge - centre : 0;
  // What is wider than the window begins at its left side.
  const isWide = boxWidth * scale > size.width - 2 * margin;
  return { scale, x: view.x + (isWide ? margin - left : dx), y: view.y + dy };
}

export function nodeAt(
  layout: TreeLayout,
  view: View,
  point: { readonly x: number; readonly y: number },
): PlacedNode | null {
  const x = (point.x - view.x) / view.scale;
  const y = (point.y - view.y) / view.scale;
  return (
    layout.nodes.find(
      (node) => x >= node.x && x <= node.x + boxWidth && Math.abs(y - node.y) <= rowHeight / 2,
    ) ?? null
  );
}
