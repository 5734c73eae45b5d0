/**
 * Builds one file from the built pages: style, script and data are inside it, and its policy allows exactly these. Data is text
 * of agents and people; nothing in it can end its block or become code.
 */

export interface PageParts {
  /** The built index.html, which names app.css and app.js. */
  readonly html: string;
  readonly style: string;
  readonly script: string;
  /** JSON. */
  readonly data: string;
  /** SHA-256 in base64. */
  readonly hashOf: (text: string) => string;
}

const styleTag = /<link\b[^>]*\bhref="\.?\/?app\.css"[^>]*>/;
const scriptTag = /<script\b[^>]*\bsrc="\.?\/?app\.js"[^>]*><\/script>/;
const headTag = /<head>/;

/** Null: the page does not name its parts, so they cannot be put in their places. */
export function renderExportPage({ html, style, script, data, hashOf }: PageParts): string | null {
  if (!styleTag.test(html) || !scriptTag.test(html) || !headTag.test(html)) return null;
  const css = style.replaceAll(/<\/(?=style)/gi, '<\\/');
  // Both occur only in strings and patterns of the script, where the escaped form means the same.
  const code = script.replaceAll(/<\/(?=script)/gi, '<\\/').replaceAll('<!--', '<\\!--');
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hashOf(code)}'`,
    `style-src 'sha256-${hashOf(css)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}" />`;
  const block = `<script type="application/json" id="runner-data">${escapeData(data)}</script>`;
  return html
    .replace(headTag, () => `<head>\n    ${meta}`)
    .replace(styleTag, () => `<style>${css}</style>`)
    .replace(scriptTag, () => `${block}\n    <script>${code}</script>`);
}

/** In JSON, `<` occurs only inside strings, where it may be escaped like this. */
function escapeData(json: string): string {
  return json.replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
