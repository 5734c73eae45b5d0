/** The exported page: parts in their places, a policy that fits them, and data that stays data. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderExportPage } from '../../../src/core/views/export-page.ts';

/** What ends lines, texts and elements. */
const hostile = fc.constantFrom(
  'a',
  '\n',
  '\r',
  '\0',
  '\u2028',
  '\u2029',
  '"',
  '<',
  '&',
  '\\',
  'é',
  '😀',
  '\ud800',
);

const html =
  '<!doctype html>\n<html><head>\n<link rel="stylesheet" href="app.css" />\n</head><body><div id="app"></div><script src="app.js" defer></script></body></html>\n';
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');

function partsOf(page: string): readonly (string | undefined)[] {
  const [, style] = /<style>([^]*?)<\/style>/.exec(page) ?? [];
  const [, data] = /<script type="application\/json" id="runner-data">([^]*?)<\/script>/.exec(page) ?? [];
  const [, script] = /<script>([^]*?)<\/script>/.exec(page) ?? [];
  return [style, data, script];
}

test('style, data and script stand inside, and the policy names their hashes', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: hostile }),
      fc.constantFrom('</script>', '</SCRIPT', '<!--', '$&', ' '),
      (text, end) => {
        const data = JSON.stringify({ text: `${text}${end}` });
        const script = `const a = "${end}";`;
        const page = renderExportPage({ html, style: 'a{}</style>', script, data, hashOf }) ?? '';
        const [style = '', json = '', code = ''] = partsOf(page);
        expect(JSON.parse(json)).toEqual({ text: `${text}${end}` });
        expect(json).not.toContain('<');
        expect(style).toBe('a{}<\\/style>');
        expect(code).not.toMatch(/<\/script|<!--/i);
        expect(page).toContain(`script-src 'sha256-${hashOf(code)}'`);
        expect(page).toContain(`style-src 'sha256-${hashOf(style)}'`);
      },
    ),
  );
});

test.each(['', html.replace('<head>', ''), html.replace('app.css', 'b.css'), html.replace('app.js', 'b.js')])(
  'a page without its parts is none',
  (broken) => {
    expect(renderExportPage({ html: broken, style: '', script: '', data: '{}', hashOf })).toBeNull();
  },
);
