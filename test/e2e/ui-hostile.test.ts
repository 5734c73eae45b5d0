/** Hostile text in every view of a real browser: it is read as text, and nothing it says happens. The exported page too. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  browserHint,
  hasBrowser,
  isAccessible,
  openBrowser,
  openPage,
  serve,
  shoot,
  shows,
  visit,
} from '../support/browser.ts';
import { hostileTexts, plantHostile, wordOf } from '../support/hostile.ts';
import { project } from '../support/project.ts';

/** The views that show an iteration, and where in them its texts stand. */
const views = [
  ['', '.summary-tab .markdown'],
  ['', '.summary-tab .facts'],
  ['/prompt', '.text-page'],
  ['/activity', '.activity-row'],
  ['/guard', '.log-line'],
  ['/diff', '.diff-path'],
  ['/diff', '.diff-line'],
  ['/tree', '.tree-diff'],
  ['/log', '.log-line'],
  ['/meta', '.text-page'],
] as const;

/** What text must never become, and what a reader must never meet unnamed. */
const faults = `(() => {
  const main = document.querySelector('main');
  const made = main.querySelectorAll('script, iframe, img, svg, form, style, link, base, template, object, [onerror], [onload], [onfocus], a[href^="javascript"], a[href*="evil"]');
  const text = main.textContent;
  const hidden = text.match(/[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200b\\u200d\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]/u);
  return [...[...made].map((one) => one.outerHTML.slice(0, 200)), ...(hidden === null ? [] : ['hidden: ' + hidden[0].codePointAt(0).toString(16)]),
    ...(/[\\p{Mn}\\p{Me}]{7}/u.test(text) ? ['stacked marks'] : []),
    ...(window.wasActed === undefined ? [] : ['acted']), ...(text.length > 700000 ? ['long: ' + text.length] : [])];
})()`;

async function hasNoFaults(page: Page, where: string): Promise<void> {
  expect([where, ...(await page.evaluate<string[]>(faults))]).toEqual([where]);
}

async function pageBack(page: Page, word: string): Promise<void> {
  const button = page.locator('button', { hasText: 'Load earlier' });
  await button.waitFor();
  await expect
    .poll(async () => {
      if (await button.isVisible()) await button.click();
      return page.locator('.log-line', { hasText: word }).count();
    })
    .toBeGreaterThan(0);
}

async function visitIterations(page: Page): Promise<number> {
  let placements = 0;
  for (const index of hostileTexts.keys()) {
    for (const [tab, selector] of views) {
      await visit(page, `#/iteration/test/${index + 1}${tab}`);
      // A line longer than a page of a log is reached by paging back.
      if (tab === '/log' && (hostileTexts[index]?.length ?? 0) > 500_000) await pageBack(page, wordOf(index));
      await shows(page, selector, wordOf(index));
      await hasNoFaults(page, `${index} ${tab}`);
      placements += 1;
    }
  }
  return placements;
}

async function visitNodes(page: Page): Promise<number> {
  let placements = 0;
  for (const index of hostileTexts.keys()) {
    await visit(page, `#/node/root.${index}`);
    await shows(page, 'h1', wordOf(index));
    await shows(page, '.acceptance', wordOf(index));
    await hasNoFaults(page, `node ${index}`);
    placements += 3;
  }
  await visit(page, '#/tree?view=list');
  for (const index of hostileTexts.keys()) await shows(page, '[role=treeitem]', wordOf(index));
  await hasNoFaults(page, 'list');
  await visit(page, '#/memory');
  for (const index of hostileTexts.keys()) await shows(page, '.memory-page .markdown', wordOf(index));
  await hasNoFaults(page, 'memory');
  placements += 5 * hostileTexts.length;
  for (const hash of ['#/now', '#/tree', '#/iterations', '#/runs']) {
    await visit(page, hash);
    await shows(page, 'main', /\w/);
    await hasNoFaults(page, hash);
  }
  return placements;
}

test.skipIf(!hasBrowser)(`hostile text is shown and does nothing${browserHint}`, async () => {
  const made = await project();
  plantHostile(made);
  const address = await serve(made);
  const browser = await openBrowser();
  const { page, complaints, foreign } = await openPage(browser, address);
  const placements = (await visitIterations(page)) + (await visitNodes(page));
  await visit(page, '#/memory');
  await shoot(page, 'hostile-memory');
  await visit(page, '#/tree?view=list');
  await shoot(page, 'hostile-list');
  await visit(page, '#/tree');
  await shoot(page, 'hostile-tree');
  await visit(page, '#/iteration/test/15/guard');
  await shows(page, '.log-line', 'word14y');
  await shoot(page, 'hostile-guard');
  expect(placements).toBeGreaterThanOrEqual(200);
  expect(complaints).toEqual([]);
  expect(foreign).toEqual([]);
});

test.skipIf(!hasBrowser)(`an exported page opens from disk and shows the same${browserHint}`, async () => {
  const made = await project();
  plantHostile(made);
  const file = join(made.base, 'run.html');
  const exported = await made.run('export', '--html', file);
  expect(exported, exported.err).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).not.toContain('<script>window');
  const browser = await openBrowser();
  const { page, complaints, foreign } = await openPage(browser, pathToFileURL(file).href);
  await shows(page, '.connection', 'exported');
  await shows(page, '.export-note', 'Exported');
  await isAccessible(page, 'exported');
  for (const index of [0, 1, 5, 14, 16]) {
    await visit(page, `#/iteration/test/${index + 1}/guard`);
    await shows(page, '.log-line', wordOf(index));
    await visit(page, `#/iteration/test/${index + 1}/diff`);
    await shows(page, '.diff-line', wordOf(index));
    await hasNoFaults(page, `exported ${index}`);
  }
  await visit(page, '#/tree?view=list');
  await shows(page, '[role=treeitem]', wordOf(3));
  await visit(page, '#/iterations');
  await shows(page, '.row', 'guard failed');
  // What the page holds can be saved from it.
  await visit(page, '#/iteration/test/15/guard');
  const download = page.waitForEvent('download');
  await page.locator('button', { hasText: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('test-15-guard.log');
  await visit(page, '#/memory');
  await shows(page, '.memory-page', wordOf(2));
  await shoot(page, 'exported');
  expect(complaints).toEqual([]);
  expect(foreign).toEqual([]);
});
