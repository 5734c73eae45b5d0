/** A log with its colours: renders only the visible lines, follows the end, pages backwards; search, wrapping, copy and download. */
import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { CopyButton } from '../copy.tsx';
import { renderBytes } from '../format.ts';
import { Empty, Failed, Loading } from '../parts.tsx';
import { VirtualList } from '../virtual-list.tsx';
import { Words } from '../words.tsx';
import { findFirstError } from './ansi.ts';
import { guardBytes } from './guard-logs.ts';
import { LogTools } from './log-tools.tsx';
import { layRows, markFound, searchLines, textOf } from './log-rows.ts';
import type { LogRow } from './log-rows.ts';
import { columnsFor, logSettings } from './log-settings.ts';
import { useLog } from './use-log.ts';
import type { OpenLog } from './use-log.ts';

interface LogViewProps {
  readonly path: string;
  readonly label: string;
  readonly empty: string;
  /** Beside its size: how the program ended. */
  readonly about?: string;
  /** With a button that leads to the first error. */
  readonly hasErrors?: boolean;
  /** The first error is marked: it is known that there was one. */
  readonly hasFailed?: boolean;
  /** It may go on. */
  readonly isGrowing?: boolean;
  readonly firstBytes?: number;
  /** To be brought into sight, from 1; null: its end is. */
  readonly line?: number | null;
}

const lineHeight = 18;

/** A line that somebody asked for; `count` grows with every wish, also for the same line. */
interface Mark {
  readonly line: number;
  readonly count: number;
}

export function LogView(props: LogViewProps): VNode {
  // The number of a line is known only from the beginning on.
  const firstBytes = (props.line ?? null) === null ? props.firstBytes : guardBytes;
  const opened = useLog(props.path, firstBytes);
  if (opened.failure !== null) return <Failed failure={opened.failure} />;
  if (opened.log.end === 0) return opened.isLoading ? <Loading /> : <Empty title={props.empty} />;
  return <OpenedLog {...props} opened={opened} />;
}

function OpenedLog({
  path,
  label,
  about = '',
  hasErrors = false,
  hasFailed = false,
  isGrowing = false,
  line = null,
  opened,
}: LogViewProps & { readonly opened: OpenLog }): VNode {
  const { lines, log, loadEarlier } = opened;
  const { marked, count, go } = useMark(opened, line);
  const [words, setWords] = useState('');
  const [width, setWidth] = useState(0);
  const isWhole = log.start === 0;
  const digits = isWhole ? String(lines.length).length : 0;
  const columns = logSettings.value.isWrapped ? columnsFor(width, digits) : null;
  const rows = useMemo(() => layRows(lines, columns), [lines, columns]);
  const found = useMemo(() => searchLines(lines, words), [lines, words]);
  const error = useMemo(() => (hasErrors ? findFirstError(lines.map(textOf)) : null), [lines, hasErrors]);
  const shown = marked ?? (hasFailed ? error : null);
  const step = (by: 1 | -1): void => {
    const next = nextFound(found, marked, by);
    if (next !== null) go(next);
  };
  return (
    <div class="log-frame">
      <LogTools
        size={[renderSize(log), about].filter((part) => part !== '').join(' · ')}
        path={path}
        words={words}
        found={found}
        marked={marked}
        onWords={setWords}
        onStep={step}
        onEarlier={isWhole ? null : loadEarlier}
      >
        {hasErrors && <ErrorButton error={error} isWhole={isWhole} isGrowing={isGrowing} onGo={go} />}
        <CopyButton
          text={() => lines.map(textOf).join('\n')}
          label="Copy"
          what={isWhole ? 'the log' : 'what is loaded of the log'}
        />
      </LogTools>
      <VirtualList
        class="log"
        role="log"
        label={label}
        count={rows.count}
        rowHeight={lineHeight}
        shift={log.shift}
        active={marked === null ? null : rows.firstRowOf(marked)}
        sight={count}
        centers
        follows={marked === null}
        onWidth={setWidth}
        row={(index) => {
          const row = rows.rowAt(index);
          return (
            <LogLine key={index} row={row} words={words} digits={digits} isMarked={row.line === shown} />
          );
        }}
      />
    </div>
  );
}

function renderSize({ start, end, total }: OpenLog['log']): string {
  return start === 0 ? renderBytes(total) : `last ${renderBytes(end - start)} of ${renderBytes(total)}`;
}

/** The line that was gone to last, first that of the address. */
function useMark(
  { lines, log }: OpenLog,
  asked: number | null,
): { readonly marked: number | null; readonly count: number; readonly go: (line: number) => void } {
  const [mark, setMark] = useState<Mark | null>(null);
  const { shift } = log;
  const count = mark?.count ?? 0;
  const go = (line: number): void => setMark({ line: line - shift, count: count + 1 });
  const isThere = asked !== null && log.start === 0 && asked <= lines.length;
  useEffect(() => {
    if (isThere) go(asked - 1);
  }, [asked, isThere]);
  // Lines that come in front later move it along.
  return { marked: mark === null ? null : mark.line + shift, count, go };
}

/** A log that is only partly loaded may have errors that are not known yet. */
function ErrorButton({
  error,
  isWhole,
  isGrowing,
  onGo,
}: {
  readonly error: number | null;
  readonly isWhole: boolean;
  readonly isGrowing: boolean;
  readonly onGo: (line: number) => void;
}): VNode {
  const none = !isWhole ? 'No error in this part' : isGrowing ? 'No error so far' : 'No error found';
  const some = isWhole ? `First error (line ${(error ?? 0) + 1})` : 'First error of this part';
  return (
    <button type="button" disabled={error === null} onClick={() => onGo(error ?? 0)} data-key="e">
      {error === null ? none : some}
    </button>
  );
}

/** The next line that was found after the marked one, around the end. */
function nextFound(found: readonly number[], marked: number | null, by: 1 | -1): number | null {
  const from = marked ?? (by === 1 ? -1 : Number.POSITIVE_INFINITY);
  const next = by === 1 ? found.find((line) => line > from) : found.findLast((line) => line < from);
  return next ?? (by === 1 ? found[0] : found.at(-1)) ?? null;
}

interface LogLineProps {
  readonly row: LogRow;
  readonly words: string;
  /** Of the largest line number; 0: numbers are not known. */
  readonly digits: number;
  readonly isMarked: boolean;
}

function LogLine({ row, words, digits, isMarked }: LogLineProps): VNode {
  return (
    <div class={isMarked ? 'log-line is-marked' : 'log-line'}>
      {digits > 0 && (
        <span class="log-number" aria-hidden="true" style={{ width: `${digits + 2}ch` }}>
          {row.from === 0 ? row.line + 1 : ''}
        </span>
      )}
      {markFound(row.spans, words).map((span, index) => {
        const text = <Words text={span.text} />;
        return (
          <span class={span.cls} key={index}>
            {span.isFound ? <mark>{text}</mark> : text}
          </span>
        );
      })}
      {row.left > 0 && <span class="cut-mark"> … {row.left.toLocaleString('en-US')} more characters</span>}
    </div>
  );
}
