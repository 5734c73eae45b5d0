/**
 * Makes text from outside safe to show: a log as plain lines, an agent's words without anything that acts or hides (§1 promise
 * 8, §6). The result has no control character but line feed and tab.
 */

/**
 * Characters nobody sees but a model reads or a terminal obeys: controls, bidi and zero-width characters, the default
 * ignorable ones (tags and variation selectors can smuggle text), line separators, surrogates without their other half,
 * noncharacters.
 */
export const hidden =
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Bidi_Control}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;
const everyHidden = new RegExp(hidden.source, 'gu');

/**
 * An escape sequence in its 7-bit or 8-bit form, whole or cut off: a command with parameters (CSI), a string that is never
 * shown (DCS, SOS, OSC, PM, APC), or an escape with its intermediates. Every part may be missing, so that a match never
 * goes back: time is linear. A string ends with its line at the latest; one that nobody closes must not swallow a log.
 */
export const escapeSequence =
  // oxlint-disable-next-line no-control-regex -- these are what it looks for
  /(?:\u001b\[|\u009b)[ -?]*[@-~]?|(?:\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f])[^\n\u0007\u0018\u001a\u001b\u009c]*[\u0007\u0018\u001a\u009c]?|\u001b[ -/]*[0-~]?|[\u0080-\u009f]/gu;

/** Most text is plain; it need not be read character by character. */
const plain = /^[\t\n -~]*$/u;

/** A log as plain lines: carriage returns and backspaces applied within their line. It has as many lines as the log. */
export function renderTerminal(text: string): string {
  if (plain.test(text)) return text;
  return text.replaceAll(escapeSequence, '').split('\n').map(renderLine).join('\n');
}

function renderLine(line: string): string {
  if (plain.test(line)) return line;
  const cells: string[] = [];
  let column = 0;
  for (const char of line) {
    if (char === '\r') {
      column = 0;
    } else if (char === '\b') {
      column = Math.max(0, column - 1);
    } else if (!hidden.test(char)) {
      cells[column] = char;
      column += 1;
    }
  }
  return cells.join('');
}

/** The text without escape sequences and hidden characters; CR, CRLF and Unicode separators become line feeds. */
export function cleanText(text: string): string {
  if (plain.test(text) || !hidden.test(text)) return text;
  return text
    .replaceAll(/\r\n?|[\u2028\u2029]/gu, '\n')
    .replaceAll(escapeSequence, '')
    .replaceAll(everyHidden, '');
}

/** The clean text on one line: runs of white space become one space, none at the ends. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/gu, ' ').trim();
}
