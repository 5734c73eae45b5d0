/** Text within markup stays text, whatever it is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeHtml, escapeMarkdown, escapeXml, renderHtmlText } from '../../../src/core/text/markup.ts';
import { hidden } from '../../../src/core/text/terminal-text.ts';

const nasty = `<b a="1" c='2'>&\u202Ex\u0000`;

test('each kind of markup', () => {
  expect(escapeHtml(nasty)).toBe('&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;⟨U+202E⟩x⟨U+0000⟩');
  expect(escapeXml('a\n\t<\u0008')).toBe('a&#10;&#9;&lt;⟨U+0008⟩');
  expect(renderHtmlText('a<\u202Eb', 10)).toBe('a&lt;<span class="mark">U+202E</span>b');
  expect(renderHtmlText('abcdef', 4)).toBe('abcd [2 characters left out]');
  expect(escapeMarkdown(' a|b\n*c* [x](y) <i> @me https://x www.y.z `q` # \\ ')).toBe(
    String.raw`a\|b \*c\* \[x\]\(y\) &lt;i\> &#64;me https&#58;//x www&#46;y.z \`q\` \# \\`,
  );
});

test('nothing hidden, no mark of markup is left', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      expect(escapeHtml(text)).not.toMatch(/[<>"']/);
      expect(escapeXml(text)).not.toMatch(/[<>"'\t\n]/);
      expect(escapeMarkdown(text)).not.toMatch(/[<@\n]|(?<!\\)[|`]|:\/\//);
      const marked = renderHtmlText(text, 30).replaceAll(
        /<span class="mark">U\+[0-9A-F]+(?:×\d+)?<\/span>/g,
        '',
      );
      expect(marked).not.toMatch(/[<>"']/);
      for (const shown of [escapeHtml(text), escapeXml(text), marked])
        expect(hidden.test(shown.replaceAll('\uFE0F', ''))).toBe(false);
    }),
  );
});
