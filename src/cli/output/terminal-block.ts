/**
 * Redraws a few lines at the bottom of a terminal in place, and sets its title. The cursor rests on the first of them, so that
 * it moves along when the terminal wraps lines after a resize; it is hidden meanwhile, and shown again however the process
 * ends.
 */
import type { Streams } from './streams.ts';

export interface TerminalBlock {
  /** Draws the lines in place of those before, if they or the size of the terminal have changed. */
  draw(lines: readonly string[]): void;
  /** Removes the lines; the next output takes their place. */
  erase(): void;
  title(text: string): void;
  /** Everything as it was found. Last call. */
  close(): void;
}

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
/** While the lines are drawn nothing may wrap: a character of unknown width must not push the others down. */
const wrapOff = '\u001b[?7l';
const wrapOn = '\u001b[?7h';
const eraseBelow = '\r\u001b[J';
const eraseRest = '\u001b[K';
const keepTitle = '\u001b[22;0t';
/** For terminals that cannot keep a title: an empty one is their own again. */
const restoreTitle = '\u001b]0;\u0007\u001b[23;0t';

export function terminalBlock(options: {
  readonly streams: Streams;
  readonly hasTitle: boolean;
  /** The terminal was resized, or the process was stopped and goes on. */
  readonly onChange: () => void;
}): TerminalBlock {
  const { streams, hasTitle } = options;
  let drawn = '';
  let isHidden = false;
  let shownTitle: string | null = null;
  const erase = (): void => {
    if (drawn !== '') streams.err(eraseBelow);
    drawn = '';
  };
  const show = (): void => {
    erase();
    if (isHidden) streams.err(showCursor);
    isHidden = false;
  };
  const restore = (): void => {
    show();
    if (shownTitle !== null) streams.err(restoreTitle);
    shownTitle = null;
  };
  const redraw = (): void => {
    erase();
    options.onChange();
  };
  const suspend = (): void => {
    restore();
    process.kill(process.pid, 'SIGSTOP');
  };
  const offResize = streams.onResize(redraw);
  process.on('exit', restore).on('SIGTSTP', suspend).on('SIGCONT', redraw);
  return {
    draw: (lines) => {
      const text = lines.map((line) => `${line}${eraseRest}`).join('\r\n');
      if (text === drawn) return;
      const back = lines.length > 1 ? `\u001b[${lines.length - 1}A\r` : '\r';
      streams.err(`${isHidden ? '' : hideCursor}${wrapOff}\r${text}\u001b[J${back}${wrapOn}`);
      isHidden = true;
      drawn = text;
    },
    erase,
    title: (text) => {
      if (!hasTitle || text === shownTitle) return;
      streams.err(`${shownTitle === null ? keepTitle : ''}\u001b]0;${text}\u0007`);
      shownTitle = text;
    },
    close: () => {
      restore();
      offResize();
      process.off('exit', restore).off('SIGTSTP', suspend).off('SIGCONT', redraw);
    },
  };
}
