/** A log with its colours: renders only the visible lines, follows the end, pages backwards. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { findFirstError } from './ansi.ts';
import type { AnsiLine } from './ansi.ts';
import { renderBytes } from '../format.ts';
import { Empty, Failed, Loading } from '../parts.tsx';
import { useLog } from './use-log.ts';
import { VirtualList } from '../virtual-list.tsx';
import { Words } from '../words.tsx';

interface LogViewProps {
  readonly path: string;
  readonly label: string;
  readonly empty: string;
  /** With a button that leads to the first error. */
  readonly hasErrors?: boolean;
  readonly firstBytes?: number;
}

const lineHeight = 18;
const lineLengthMax = 2000;

export function LogView({ path, label, empty, hasErrors = false, firstBytes }: LogViewProps): VNode {
  const { lines, log, isLoading, failure, loadEarlier } = useLog(path, firstBytes);
  const [mark, setMark] = useState<{ readonly line: number; readonly count: number } | null>(null);
  if (failure !== null) return <Failed failure={failure} />;
  if (log.end === 0) return isLoading ? <Loading /> : <Empty title={empty} />;
  const error = hasErrors ? findFirstError(lines) : null;
  // Lines that come in front later move it along.
  const marked = mark === null ? null : mark.line + log.shift;
  const jump = (): void => setMark({ line: (error ?? 0) - log.shift, count: (mark?.count ?? 0) + 1 });
  return (
    <div class="log-frame">
      <div class="log-bar">
        <span class="muted">
          {log.start === 0
            ? renderBytes(log.total)
            : `last ${renderBytes(log.end - log.start)} of ${renderBytes(log.total)}`}
        </span>
        {log.start > 0 && (
          <button type="button" onClick={loadEarlier}>
            Load earlier
          </button>
        )}
        {hasErrors && (
          <button type="button" disabled={error === null} onClick={jump} data-key="e">
            {error === null
              ? 'No error found'
              : log.start === 0
                ? `First error (line ${error + 1})`
                : 'First error of this part'}
          </button>
        )}
      </div>
      <VirtualList
        class="log"
        role="log"
        label={label}
        count={lines.length}
        rowHeight={lineHeight}
        shift={log.shift}
        active={marked}
        sight={mark?.count ?? 0}
        follows={!hasErrors || marked === null}
        row={(index) => <LogLine key={index} line={lines[index] ?? []} isMarked={index === marked} />}
      />
    </div>
  );
}

function LogLine({ line, isMarked }: { readonly line: AnsiLine; readonly isMarked: boolean }): VNode {
  let left = lineLengthMax;
  return (
    <div class={isMarked ? 'log-line is-marked' : 'log-line'}>
      {line.map((span, index) => {
        if (left <= 0) return null;
        const max = left;
        left -= span.text.length;
        const words = <Words text={span.text} max={max} />;
        return (
          <span class={span.cls} key={index}>
            {words}
          </span>
        );
      })}
    </div>
  );
}
