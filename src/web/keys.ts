/** The keys that work on every page. Pages define moving and opening; letters typed into a field are left alone. */
import { signal } from '@preact/signals';
import { switchTheme } from './theme.ts';

export const isHelpOpen = signal(false);

interface ListKeys {
  readonly move: (step: 1 | -1) => void;
  readonly open: () => void;
}

let list: ListKeys | null = null;

export const listKeys = {
  /** For as long as a list is shown; what it returns ends that. */
  set: (keys: ListKeys): (() => void) => {
    list = keys;
    return () => {
      if (list === keys) list = null;
    };
  },
};

export const keyTexts = [
  ['g n', 'Now'],
  ['g t', 'Tree'],
  ['g i', 'Iterations'],
  ['g m', 'Memory'],
  ['g r', 'Runs'],
  ['j  k', 'next, previous'],
  ['Enter', 'open'],
  ['/', 'search or filter'],
  ['[  ]', 'previous, next iteration or tab'],
  ['e', 'first error'],
  ['arrows, Space', 'move in the tree, fold'],
  ['n  N', 'next, previous node found'],
  ['+  −  0', 'zoom in, out, fit'],
  ['c', 'the node that is worked on'],
  ['d', 'dark, light, as the system'],
  ['?', 'these keys'],
  ['Esc', 'close, leave the field'],
] as const;

const pages: Readonly<Record<string, string>> = {
  n: 'now',
  t: 'tree',
  i: 'iterations',
  m: 'memory',
  r: 'runs',
};

/** A second key that comes later than this is a key of its own. */
const chordMs = 1500;

let goAt = -chordMs;

/** It is the second key of two, and no list or tree may take it for its own. */
export function isAfterGo(event: KeyboardEvent): boolean {
  return event.timeStamp - goAt < chordMs;
}

export function watchKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
    const isChord = isAfterGo(event);
    goAt = -chordMs;
    const page = pages[event.key];
    if (isChord && page !== undefined) location.hash = `#/${page}`;
    else if (event.key === 'g') goAt = event.timeStamp;
    else if (!runKey(event)) return;
    event.preventDefault();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement
  );
}

function click(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.click();
  return element !== null;
}

function runKey(event: KeyboardEvent): boolean {
  switch (event.key) {
    case 'j':
    case 'k':
      list?.move(event.key === 'j' ? 1 : -1);
      return list !== null;
    case 'Enter':
      // A link or a button that has the focus knows better.
      if (
        list === null ||
        event.target instanceof HTMLAnchorElement ||
        event.target instanceof HTMLButtonElement
      )
        return false;
      list.open();
      return true;
    case '/':
      document.querySelector<HTMLElement>('[data-search]')?.focus();
      return true;
    case '[':
      return click('[data-key="previous"]');
    case ']':
      return click('[data-key="next"]');
    case 'e':
      return click('[data-key="e"]');
    case 'd':
      switchTheme();
      return true;
    case '?':
      isHelpOpen.value = true;
      return true;
    default:
      return false;
  }
}
