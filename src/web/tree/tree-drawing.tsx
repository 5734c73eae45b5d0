/**
 * The tree as a drawing: pan, zoom, keyboard. Its content is also available as text, and the list view has all of it for screen
 * readers.
 */
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { TreeNode } from '../../core/types.ts';
import { theme } from '../theme.ts';
import { toggleFold } from './tree-fold.ts';
import { watchGestures } from './tree-gestures.ts';
import { fitView, keepInSight, layTree, nodeAt, zoomAt } from './tree-layout.ts';
import type { Size, TreeLayout, View } from './tree-layout.ts';
import { paintTree, readColours } from './tree-paint.ts';
import type { PaintInput } from './tree-paint.ts';
import { activeId, folded, sightWish } from './tree-state.ts';
import type { TreeState } from './tree-state.ts';
import { renderWork } from './tree-work.ts';
import type { TreeWork } from './tree-work.ts';

interface DrawingProps {
  readonly state: TreeState;
  readonly work: TreeWork;
  readonly currentId: string | null;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  /** Increased by the page: 1 fits, others zoom. */
  readonly wish: { readonly kind: 'fit' | 'in' | 'out'; readonly count: number };
}

/** What the drawing holds between frames; none of it is for the page to see. */
interface Easel {
  view: View | null;
  size: Size;
  input: Omit<PaintInput, 'view' | 'size'> | null;
  /** Which wish to see the active node was fulfilled. */
  sight: string;
  frame: number;
}

function paint(canvas: HTMLCanvasElement, easel: Easel): void {
  const context = canvas.getContext('2d');
  if (context === null || easel.input === null || easel.view === null) return;
  const ratio = window.devicePixelRatio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  paintTree(context, { ...easel.input, view: easel.view, size: easel.size });
  canvas.dataset['scale'] = easel.view.scale.toFixed(3);
}

function schedule(canvas: HTMLCanvasElement, easel: Easel): void {
  if (easel.frame !== 0) return;
  easel.frame = requestAnimationFrame(() => {
    easel.frame = 0;
    paint(canvas, easel);
  });
}

function resize(canvas: HTMLCanvasElement, easel: Easel): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  easel.size = { width, height };
  canvas.width = Math.round(width * window.devicePixelRatio);
  canvas.height = Math.round(height * window.devicePixelRatio);
  paint(canvas, easel);
}

const noSize: Size = { width: 0, height: 0 };

export function TreeDrawing({ state, work, currentId, onKeyDown, wish }: DrawingProps): VNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  const easel = useRef<Easel>({ view: null, size: noSize, input: null, sight: '', frame: 0 });
  const layout = useMemo(() => layTree(state.shown), [state.shown]);
  const active = state.shown[state.active];
  const before = useRef<TreeLayout | null>(null);
  const sight = `${sightWish.value} ${active?.node.id ?? ''}`;
  useSize(canvas, easel);
  useLayoutEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const own = easel.current;
    const placed = active === undefined ? undefined : layout.byId.get(active.node.id);
    if (own.view === null) own.view = firstView(layout, own.size, placed?.y ?? 0);
    else if (placed !== undefined) own.view = holdStill(own.view, placed, before.current);
    before.current = layout;
    // Otherwise it stays where somebody has moved it, whatever becomes of the tree.
    if (placed !== undefined && sight !== own.sight) own.view = keepInSight(own.view, placed, own.size);
    own.sight = sight;
    own.input = {
      layout,
      colours: readColours(element),
      activeId: active?.node.id ?? null,
      currentId,
      found: new Set(state.found),
      workOf: (node) => renderWork(node, work),
    };
    schedule(element, own);
  }, [layout, sight, currentId, state.found, work, theme.value]);
  useEffect(() => {
    const element = canvas.current;
    const own = easel.current;
    if (element === null || own.view === null || wish.count === 0) return;
    const middle = { x: own.size.width / 2, y: own.size.height / 2 };
    own.view =
      wish.kind === 'fit'
        ? fitView(layout, own.size)
        : zoomAt(own.view, middle, wish.kind === 'in' ? 1.4 : 1 / 1.4);
    schedule(element, own);
  }, [wish]);
  useGestures(canvas, easel, layout);
  useSystemTheme(canvas, easel);
  return (
    <div
      class="drawing"
      role="group"
      tabIndex={0}
      aria-label="Task tree, drawn"
      aria-describedby="drawing-help"
      onKeyDown={onKeyDown}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <p id="drawing-help" class="sr-only">
        Arrow keys move, space folds, Enter opens the node. The list view holds the same tree for screen
        readers.
      </p>
      <p class="sr-only" aria-live="polite">
        {active === undefined
          ? ''
          : `${active.node.title.slice(0, 200)}, ${active.state}, level ${active.depth}`}
      </p>
    </div>
  );
}

/** Readable at once: the whole tree when that is large enough to read, else what is around the active node. */
function firstView(layout: TreeLayout, size: Size, middle: number): View {
  const fit = fitView(layout, size);
  if (fit.scale >= 0.6) return fit;
  const scale = size.width < 600 ? 0.85 : 1;
  // Nothing is wasted above the tree or below it.
  const highest = 24 - layout.top * scale;
  const lowest = size.height - 24 - layout.bottom * scale;
  return { scale, x: 24, y: Math.min(highest, Math.max(lowest, size.height / 2 - middle * scale)) };
}

/** The active node stays where it is on the screen while the tree around it changes. */
function holdStill(
  view: View,
  placed: { readonly x: number; readonly y: number; readonly shown: { readonly node: TreeNode } },
  before: TreeLayout | null,
): View {
  const was = before?.byId.get(placed.shown.node.id);
  if (was === undefined) return view;
  return {
    ...view,
    x: view.x + (was.x - placed.x) * view.scale,
    y: view.y + (was.y - placed.y) * view.scale,
  };
}

function useSize(
  canvas: { readonly current: HTMLCanvasElement | null },
  easel: { readonly current: Easel },
): void {
  useLayoutEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => resize(element, easel.current));
    observer.observe(element);
    resize(element, easel.current);
    return () => observer.disconnect();
  }, []);
}

function useGestures(
  canvas: { readonly current: HTMLCanvasElement | null },
  easel: { readonly current: Easel },
  layout: TreeLayout,
): void {
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const own = easel.current;
    return watchGestures(element, {
      view: () => own.view ?? { x: 0, y: 0, scale: 1 },
      setView: (view) => {
        own.view = view;
        schedule(element, own);
      },
      press: (point) => {
        const hit = own.view === null ? null : nodeAt(layout, own.view, point);
        if (hit === null) return;
        const { id, children } = hit.shown.node;
        if (activeId.value === id && children.length > 0)
          folded.value = toggleFold(folded.value ?? new Set(), id);
        activeId.value = id;
      },
    });
  }, [layout]);
}

/** The system may turn dark while the page is open. */
function useSystemTheme(
  canvas: { readonly current: HTMLCanvasElement | null },
  easel: { readonly current: Easel },
): void {
  useEffect(() => {
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    const change = (): void => {
      const { current: own } = easel;
      if (canvas.current === null || own.input === null) return;
      own.input = { ...own.input, colours: readColours(canvas.current) };
      schedule(canvas.current, own);
    };
    dark.addEventListener('change', change);
    return () => dark.removeEventListener('change', change);
  }, []);
}
