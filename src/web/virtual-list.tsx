/** A list of any length that renders only the visible rows. All rows have the same height. */
import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  readonly label: string;
  readonly role: 'list' | 'tree' | 'table' | 'log';
  readonly class?: string;
  readonly active?: number | null;
  /** The active row is brought into sight when this changes; without it, when another row is active. */
  readonly sight?: string | number;
  /** The active row is brought to the middle, so that what is around it can be read. */
  readonly centers?: boolean;
  readonly activeId?: string | undefined;
  /** How far rows have moved by others in front of them; what is in sight stays where it is. */
  readonly shift?: number;
  /** Stays at the end while somebody is there. */
  readonly follows?: boolean;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  /** Gets the width of the list, and every other one. */
  readonly onWidth?: (width: number) => void;
}

const spareRows = 8;
/** Nearer than this to the end counts as there. */
const endSlackPx = 24;

const rowsKeptMax = 500;

interface Viewport {
  readonly top: number;
  readonly height: number;
}

export function VirtualList(props: VirtualListProps): VNode {
  const { count, rowHeight, row, label, role, active = null, shift = 0, follows = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const [viewport, setViewport] = useState<Viewport>({ top: 0, height: 800 });
  const before = useRef({ shift, isAtEnd: true });
  const look = (): void => {
    const element = box.current;
    if (element === null) return;
    const { scrollTop: top, clientHeight: height, clientWidth, scrollHeight } = element;
    props.onWidth?.(clientWidth);
    before.current.isAtEnd = top + height >= scrollHeight - endSlackPx;
    setViewport((known) => (known.top === top && known.height === height ? known : { top, height }));
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    if (follows) element.scrollTop = element.scrollHeight;
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const moved = shift - before.current.shift;
    before.current.shift = shift;
    if (follows && before.current.isAtEnd && moved === 0) element.scrollTop = element.scrollHeight;
    else if (moved !== 0 && element.scrollTop > 0) element.scrollTop += moved * rowHeight;
    look();
  }, [count, shift]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || active === null) return;
    const top = active * rowHeight;
    if (props.centers === true) element.scrollTop = top - (element.clientHeight - rowHeight) / 2;
    else if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;

    look();
  }, [props.sight ?? active]);
  const first = Math.max(0, Math.floor(viewport.top / rowHeight) - spareRows);
  const last = Math.min(count, Math.ceil((viewport.top + viewport.height) / rowHeight) + spareRows);
  const rows = useRows(row, rowHeight);
  const shown: ComponentChildren[] = [];
  for (let index = first; index < last; index += 1) shown.push(rows(index));
  return (
    <div
      ref={box}
      class={`virtual ${props.class ?? ''}`}
      role={role}
      aria-label={label}
      aria-rowcount={role === 'table' ? count : undefined}
      aria-activedescendant={props.activeId}
      tabIndex={0}
      onScroll={look}
      onKeyDown={props.onKeyDown}
    >
      <div class="virtual-all" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {shown}
      </div>
    </div>
  );
}

/** Rows that were shown before are the same again, so that a scrolled list draws only what is new. */
function useRows(row: VirtualListProps['row'], rowHeight: number): (index: number) => ComponentChildren {
  const known = useRef<{ row: VirtualListProps['row']; made: Map<number, ComponentChildren> }>({
    row,
    made: new Map(),
  });
  if (known.current.row !== row || known.current.made.size > rowsKeptMax)
    known.current = { row, made: new Map() };
  const { made } = known.current;
  return (index) => {
    const old = made.get(index);
    if (old !== undefined) return old;
    const fresh = (
      <div class="virtual-row" role="presentation" key={index} style={{ top: `${index * rowHeight}px` }}>
        {row(index)}
      </div>
    );
    made.set(index, fresh);
    return fresh;
  };
}
