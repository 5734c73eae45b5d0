/** Dragging, wheel and pinching on a drawing, as changes of its view. Touches only the element it is given. */
import { zoomAt } from './tree-layout.ts';
import type { View } from './tree-layout.ts';

export interface Gestures {
  readonly view: () => View;
  readonly setView: (view: View) => void;
  /** A press that did not become a drag. */
  readonly press: (point: { readonly x: number; readonly y: number }) => void;
}

const dragSlackPx = 4;

interface Point {
  readonly x: number;
  readonly y: number;
}

export function watchGestures(element: HTMLElement, gestures: Gestures): () => void {
  const pointers = new Map<number, Point>();
  let isDrag = false;
  let begin: Point = { x: 0, y: 0 };
  const pointOf = (event: MouseEvent): Point => {
    const { left, top } = element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const { x, y, scale } = gestures.view();
    const unit = event.deltaMode === 1 ? 18 : 1;
    // Touchpads send a pinch as a wheel with this key held.
    if (event.ctrlKey || event.metaKey)
      gestures.setView(zoomAt({ x, y, scale }, pointOf(event), Math.exp(-event.deltaY * unit * 0.004)));
    else gestures.setView({ scale, x: x - event.deltaX * unit, y: y - event.deltaY * unit });
  };
  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    begin = pointOf(event);
    isDrag = false;
    pointers.set(event.pointerId, begin);
  };
  const move = (event: PointerEvent): void => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) return;
    const now = pointOf(event);
    if (!isDrag && Math.hypot(now.x - begin.x, now.y - begin.y) < dragSlackPx && pointers.size === 1) return;
    if (!isDrag) element.setPointerCapture(event.pointerId);
    isDrag = true;
    gestures.setView(dragged(gestures.view(), [...pointers.values()], { before, now }));
    pointers.set(event.pointerId, now);
  };
  const up = (event: PointerEvent): void => {
    if (!pointers.delete(event.pointerId)) return;
    if (!isDrag && event.type === 'pointerup') gestures.press(pointOf(event));
  };
  element.addEventListener('wheel', wheel, { passive: false });
  element.addEventListener('pointerdown', down);
  element.addEventListener('pointermove', move);
  element.addEventListener('pointerup', up);
  element.addEventListener('pointercancel', up);
  return () => {
    element.removeEventListener('wheel', wheel);
    element.removeEventListener('pointerdown', down);
    element.removeEventListener('pointermove', move);
    element.removeEventListener('pointerup', up);
    element.removeEventListener('pointercancel', up);
  };
}

interface Moved {
  readonly before: Point;
  readonly now: Point;
}

/** One finger moves; of two, the other one is the fixed point of a zoom. */
function dragged(view: View, points: readonly Point[], { before, now }: Moved): View {
  const other = points.find((point) => point !== before);
  if (other === undefined) return { ...view, x: view.x + now.x - before.x, y: view.y + now.y - before.y };
  const far = (point: Point): number => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
  return zoomAt(view, other, far(now) / far(before));
}
