/** Escapes text from outside for markup: it cannot become markup, and invisible characters are shown by name. */
import { cutText, renderVisible, splitVisible } from './visible.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeEntities(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `${entities[char]}`);
}

/** For a page or an attribute of it. */
export function escapeHtml(text: string): string {
  return escapeEntities(renderVisible(text));
}

/** For a page, with a mark around the name of what nobody sees; a long text is cut and says so. */
export function renderHtmlText(text: string, lengthMax: number): string {
  const { text: kept, left } = cutText(text, lengthMax);
  const shown = splitVisible(kept).map((piece) =>
    piece.isMark ? `<span class="mark">${escapeEntities(piece.text)}</span>` : escapeEntities(piece.text),
  );
  return `${shown.join('')}${left === 0 ? '' : ` [${left} characters left out]`}`;
}

/** For the content of an element or an attribute: what XML 1.0 cannot hold is among the named characters. */
export function escapeXml(text: string): string {
  return escapeEntities(renderVisible(text)).replaceAll('\t', '&#9;').replaceAll('\n', '&#10;');
}

/** As plain text within a line or a table: no markup, no link, no mention. */
export function escapeMarkdown(text: string): string {
  return (
    renderVisible(text)
      .replaceAll(/\s+/gu, ' ')
      .trim()
      .replaceAll(/[\\`*_{}[\]()#+!|~>]/gu, String.raw`\$&`)
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('@', '&#64;')
      // Without it `https://…` and `www.…` become links.
      .replaceAll(/:(?=\/\/)/g, '&#58;')
      .replaceAll(/\b(www)\./gi, '$1&#46;')
  );
}
