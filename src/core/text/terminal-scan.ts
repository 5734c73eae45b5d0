/**
 * Splits terminal output into printed characters, controls and escape sequences, the way ECMA-48 terminals do. It knows
 * no screen; what a sequence means is the sink's business.
 */

export interface TerminalSink {
  /** One printed character (code point), not filtered. */
  print(char: string): void;
  /** A C0 control other than those that belong to sequences. */
  control(code: number): void;
  /** An escape sequence without parameters, named by intermediates and final character (`M`, `(B`). */
  escape(name: string): void;
  /** A control sequence, named the same way (`K`, `m`), with its parameter text (`1;31`, `?25`). */
  command(name: string, params: string): void;
}

interface Scanner {
  readonly sink: TerminalSink;
  /** Index of the last character that could end a string; a string opened later is never closed. */
  readonly lastStringEnd: number;
  mode: 'text' | 'escape' | 'command' | 'string';
  name: string;
  params: string;
}

const escapeCode = 0x1b;
const bell = 0x07;
const lineFeed = 0x0a;
const cancel = 0x18;
const substitute = 0x1a;
const stringTerminator = 0x9c;

const stringEnds: readonly number[] = [bell, cancel, substitute, escapeCode, stringTerminator];
/** DCS, SOS, OSC, PM and APC open a string that is never shown. */
const stringStarts = 'PX]^_';

export function scanTerminal(text: string, sink: TerminalSink): void {
  const lastStringEnd = Math.max(...stringEnds.map((code) => text.lastIndexOf(String.fromCharCode(code))));
  const scanner: Scanner = { sink, lastStringEnd, mode: 'text', name: '', params: '' };
  let at = 0;
  for (const char of text) {
    scanChar(scanner, char, at);
    at += char.length;
  }
}

function scanChar(scanner: Scanner, char: string, at: number): void {
  const code = char.charCodeAt(0);
  if (scanner.mode === 'string') scanString(scanner, code, at);
  else if (code < 0x20) scanControl(scanner, code);
  else if (code >= 0x80 && code < 0xa0) scanEscape(open(scanner, 'escape'), String.fromCharCode(code - 0x40));
  else if (scanner.mode === 'text') scanner.sink.print(char);
  else if (code === 0x7f) return;
  else if (code >= 0xa0) {
    scanner.mode = 'text';
    scanner.sink.print(char);
  } else if (scanner.mode === 'escape') scanEscape(scanner, char);
  else scanCommand(scanner, char);
}

function open(scanner: Scanner, mode: Scanner['mode']): Scanner {
  scanner.mode = mode;
  scanner.name = '';
  scanner.params = '';
  return scanner;
}

/** Controls act at once, also in the middle of a sequence. */
function scanControl(scanner: Scanner, code: number): void {
  if (code === escapeCode) open(scanner, 'escape');
  else if (code === cancel || code === substitute) open(scanner, 'text');
  else scanner.sink.control(code);
}

/** A string nobody closes would swallow the rest of a log that was cut; it ends with its line instead. */
function scanString(scanner: Scanner, code: number, at: number): void {
  if (code === lineFeed && at > scanner.lastStringEnd) {
    open(scanner, 'text');
    scanner.sink.control(code);
  } else if (stringEnds.includes(code)) open(scanner, code === escapeCode ? 'escape' : 'text');
}

function scanEscape(scanner: Scanner, char: string): void {
  if (char === '[') open(scanner, 'command');
  else if (stringStarts.includes(char)) open(scanner, 'string');
  else if (char < '0') scanner.name += char;
  else {
    scanner.mode = 'text';
    scanner.sink.escape(scanner.name + char);
  }
}

function scanCommand(scanner: Scanner, char: string): void {
  if (char < '0') scanner.name += char;
  else if (char < '@') scanner.params += char;
  else {
    scanner.mode = 'text';
    scanner.sink.command(scanner.name + char, scanner.params);
  }
}
