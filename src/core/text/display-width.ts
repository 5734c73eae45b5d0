/**
 * Counts the terminal columns of a text, and cuts texts to a number of columns. Where terminals differ it counts too many, so
 * that a line is never wider than it says. Expects clean text: no control characters.
 */

/** Drawn over the character before it. */
const noWidth = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Two columns: East Asian wide and full-width characters, and what is shown as a picture. */
const twoWide =
  /[\p{Emoji_Presentation}\p{Extended_Pictographic}\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1aff0}-\u{1b2ff}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/u;

export function displayWidth(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

function charWidth(char: string): number {
  if (char >= ' ' && char <= '~') return 1;
  if (noWidth.test(char)) return 0;
  return twoWide.test(char) ? 2 : 1;
}

/** The text when it fits, else its beginning and an ellipsis; never wider than `columns`. */
export function cutToWidth(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const char of text) {
    width += charWidth(char);
    if (width > columns - 1) break;
    kept += char;
  }
  return `${kept}…`;
}
