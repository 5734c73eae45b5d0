/** A list of any length of which only the rows in sight are in the page. All rows have one height. */
import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  readonly label: string;
  readonly role: 'list' | 'tree' | 'table' | 'log';
  readonly class?: string;
  /** Brought into sight when it changes. */
  readonly active?: number | null;
  readonly activeId?: string | undefined;
  /** New rows come first; what is in sight stays where it is. */
  readonly growsAtTop?: boolean;
  /** Stays at the end while somebody is there. */
  readonly follows?: boolean;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

const spareRows = 12;
/** Nearer than this to the end counts as there. */
const endSlackPx = 24;

interface Place {
  readonly top: number;
  readonly height: number;
}

export function VirtualList(props: VirtualListProps): VNode {
  const { count, rowHeight, row, label, role, active = null, growsAtTop = false, follows = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<Place>({ top: 0, height: 800 });
  const before = useRef({ count, isAtEnd: true });
  const look = (): void => {
    const element = box.current;
    if (element === null) return;
    const { scrollTop: top, clientHeight: height, scrollHeight } = element;
    before.current.isAtEnd = top + height >= scrollHeight - endSlackPx;
    setPlace((known) => (known.top === top && known.height === height ? known : { top, height }));
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const added = count - before.current.count;
    before.current.count = count;
    if (follows && before.current.isAtEnd) element.scrollTop = element.scrollHeight;
    else if (growsAtTop && added > 0 && element.scrollTop > 0) element.scrollTop += added * rowHeight;
    look();
  }, [count]);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || active === null) return;
    const top = active * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight;
    }
    look();
  }, [active]);
  const first = Math.max(0, Math.floor(place.top / rowHeight) - spareRows);
  const last = Math.min(count, Math.ceil((place.top + place.height) / rowHeight) + spareRows);
  const rows: ComponentChildren[] = [];
  for (let index = first; index < last; index += 1) rows.push(row(index));
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
        <div
          class="virtual-part"
          role="presentation"
          style={{ transform: `translateY(${first * rowHeight}px)` }}
        >
          {rows}
        </div>
      </div>
    </div>
  );
}
