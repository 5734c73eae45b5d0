/** The bar above a log: its size, search, wrapping, download, and what the log adds. */
import type { ComponentChildren, VNode } from 'preact';
import { source } from '../store.ts';
import { logSettings, switchWrap } from './log-settings.ts';

interface LogToolsProps {
  readonly size: string;
  readonly path: string;
  readonly words: string;
  /** Lines that the search found. */
  readonly found: readonly number[];
  readonly marked: number | null;
  readonly onWords: (words: string) => void;
  readonly onStep: (by: 1 | -1) => void;
  /** Null: all of it is there. */
  readonly onEarlier: (() => void) | null;
  readonly children: ComponentChildren;
}

export function LogTools(props: LogToolsProps): VNode {
  const { words, found, marked, onWords, onStep, onEarlier } = props;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape') onWords('');
  };
  const at = marked === null ? -1 : found.indexOf(marked);
  const lines = `${found.length.toLocaleString('en-US')} ${found.length === 1 ? 'line' : 'lines'}`;
  return (
    <div class="log-bar" role="toolbar" aria-label="Log">
      <span class="muted">{props.size}</span>
      {onEarlier !== null && (
        <button type="button" onClick={onEarlier}>
          Load earlier
        </button>
      )}
      <input
        type="search"
        placeholder={onEarlier === null ? 'Search  /' : 'Search what is loaded  /'}
        aria-label="Search the log"
        data-search
        value={words}
        onInput={(event) => onWords(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {words !== '' && (
        <>
          <span class="muted found" aria-live="polite">
            {at === -1 ? lines : `${at + 1} of ${lines}`}
          </span>
          <span class="group">
            <button type="button" aria-label="Previous match" onClick={() => onStep(-1)}>
              ‹
            </button>
            <button type="button" aria-label="Next match" onClick={() => onStep(1)}>
              ›
            </button>
          </span>
        </>
      )}
      <span class="spring" />
      <button type="button" aria-pressed={logSettings.value.isWrapped} onClick={switchWrap}>
        Wrap
      </button>
      {props.children}
      <Download path={props.path} />
    </div>
  );
}

/** From the server the file itself; from an exported page what it holds. */
function Download({ path }: { readonly path: string }): VNode {
  const name = decodeURIComponent(path.split('/').slice(-3).join('-'));
  if (source.exported === null) {
    return (
      <a class="button" href={path} download={name}>
        Download
      </a>
    );
  }
  const save = async (): Promise<void> => {
    const part = await source.loadPart(path, 0, Number.MAX_SAFE_INTEGER);
    if (part.kind === 'failed') return;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([part.value.bytes.slice()]));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <button type="button" onClick={() => void save()}>
      Download
    </button>
  );
}
