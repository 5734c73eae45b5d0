/** The page of `eval report` and `eval compare` in a real browser: from disk, with no request, no complaint, and for everybody to read. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserHint, hasBrowser, isAccessible, openBrowser, openPage } from '../support/browser.ts';
import { drawFrom } from '../support/draws.ts';
import { plantBatch } from '../support/eval-results.ts';
import { cleanEnv, entryFile, tempFolder } from '../support/project.ts';
import { hostileTrials } from '../support/reports.ts';
import { runProgram } from '../support/spawner.ts';
import { codex, trialsOf, trialWith } from '../support/trials.ts';
import type { TrialRecord } from '../../src/eval/cases/types.ts';

const claude = { kind: 'agent', agent: 'claude', model: 'opus' } as const;

/** What text must never become, and what a reader must never meet unnamed. */
const faults = `(() => {
  const main = document.querySelector('main');
  const made = main.querySelectorAll('script, iframe, img, form, style, link, base, template, object, a:not([href^="./eval/results/"]), [onerror], [onload], [onfocus]');
  const hidden = main.textContent.match(/[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u200b\\u200d\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]/u);
  return [...[...made].map((one) => one.outerHTML.slice(0, 200)), ...(hidden === null ? [] : ['hidden: ' + hidden[0].codePointAt(0).toString(16)]),
    ...(window.wasActed === undefined ? [] : ['acted']),
    ...(document.documentElement.scrollWidth > innerWidth ? ['wider than the window: ' + document.documentElement.scrollWidth] : [])];
})()`;

/**
 * Labels of an axis that are not under their line of the grid, rates on axes of two widths, tables that are cut off without a sign or
 * touch their note, the head's first columns off screen, and names of hidden characters on two lines.
 */
const misplaced = `(() => {
  const labels = [...document.querySelectorAll('.rows')].flatMap((list) => {
    const strip = list.querySelector('.strip')?.getBoundingClientRect();
    const ticks = [...list.querySelectorAll('.axis span')];
    return ticks.flatMap((tick, index) => {
      const range = document.createRange();
      range.selectNodeContents(tick);
      const { left, right } = range.getBoundingClientRect();
      const share = index / (ticks.length - 1);
      const found = left + (right - left) * (share === 0 || share === 1 ? share : 0.5);
      const wanted = strip.left + strip.width * share;
      return Math.abs(found - wanted) < 1 ? [] : [tick.textContent + ' is ' + (found - wanted) + ' px off'];
    });
  });
  const cut = [...document.querySelectorAll('.wide')].filter((table) =>
    table.scrollWidth > table.clientWidth && getComputedStyle(table).backgroundAttachment !== 'local, local, scroll, scroll');
  const edgeOf = (one) => one.getBoundingClientRect();
  const widths = [...document.querySelectorAll('section')]
    .filter((section) => section.querySelector('h2')?.textContent.startsWith('Solved'))
    .map((section) => Math.round(edgeOf(section.querySelector('.strip')).width));
  const tight = [...document.querySelectorAll('.wide + p')].filter((note) =>
    edgeOf(note).top - edgeOf(note.previousElementSibling).bottom < 8);
  const marks = [...document.querySelectorAll('.mark')].filter((mark) => mark.getClientRects().length > 1);
  const head = [...document.querySelectorAll('[aria-label="Variants"] th')].slice(0, 4);
  const names = [...document.querySelectorAll('[aria-label="Variants"] td:first-child')];
  const far = names.every((name) => name.textContent.length < 16) ? head.filter((cell) => edgeOf(cell).right > innerWidth) : [];
  const broken = names.filter((name) => name.textContent.length < 16 && edgeOf(name).height > 35);
  return [...labels, ...cut.map((table) => 'cut off: ' + table.getAttribute('aria-label')),
    ...(new Set(widths).size > 1 ? ['axes of ' + widths] : []),
    ...tight.map((note) => 'no gap before: ' + note.textContent),
    ...marks.map((mark) => 'on two lines: ' + mark.textContent),
    ...broken.map((name) => 'broken: ' + name.textContent),
    ...far.map((cell) => 'off screen: ' + cell.textContent)];
})()`;

async function runEval(root: string, ...args: readonly string[]): Promise<void> {
  const { code, stderr } = await runProgram({
    program: process.execPath,
    args: [entryFile, 'eval', ...args],
    cwd: root,
    env: cleanEnv(root),
  });
  expect(code, stderr).toBe(0);
}

/** All of the page, for people to look at: RUNNER_SCREENSHOTS=<folder> keeps what the tests saw. */
async function shootPage(page: Page, name: string): Promise<void> {
  const folder = process.env['RUNNER_SCREENSHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

function twoVariants(): readonly TrialRecord[] {
  const draw = drawFrom(7);
  const cases = ['fix-failing-test', 'build-a-small-cli-from-an-empty-folder', 'slugs', 'parse-csv'];
  return cases.flatMap((case_id) =>
    [codex, claude].flatMap((variant) =>
      [...'SSSFSXSE-S'].flatMap((letter, index) =>
        trialsOf(case_id, draw() < 0.3 ? 'F' : letter, {
          variant,
          repeat: index + 1,
          duration_secs: Math.round(20 + draw() * 900),
          cost_usd: Math.round(draw() * 300) / 100,
          tokens: Math.round(draw() * 90_000),
        }),
      ),
    ),
  );
}

test.skipIf(!hasBrowser)(`the pages open from disk${browserHint}`, async () => {
  const root = tempFolder('eval-page');
  plantBatch(root, twoVariants(), { batch_id: 'both' });
  plantBatch(root, [trialWith()], { batch_id: 'small' });
  plantBatch(root, hostileTrials(), { batch_id: 'hostile' });
  plantBatch(root, [], {
    batch_id: 'empty',
    plan: { cases: [], variants: [codex], repeats: 1, record: false },
  });
  const names = ['both', 'small', 'hostile', 'empty'];
  for (const name of names) await runEval(root, 'report', name, '--reporter', `html=${name}.html`);
  await runEval(root, 'compare', 'both@codex', 'both@claude:opus', '--reporter', 'html=compared.html');
  const browser = await openBrowser();
  for (const name of [...names, 'compared']) {
    for (const [look, options] of [
      ['light', { colorScheme: 'light' }],
      ['dark', { colorScheme: 'dark' }],
      ['phone', { colorScheme: 'light', viewport: { width: 390, height: 800 } }],
      ['phone-dark', { colorScheme: 'dark', viewport: { width: 390, height: 800 } }],
    ] as const) {
      const address = pathToFileURL(join(root, `${name}.html`)).href;
      const { page, complaints, foreign } = await openPage(browser, address, options);
      expect([name, look, ...(await page.evaluate<string[]>(faults))]).toEqual([name, look]);
      expect([name, look, ...(await page.evaluate<string[]>(misplaced))]).toEqual([name, look]);
      await isAccessible(page, `${name} ${look}`);
      await shootPage(page, `eval-${name}-${look}`);
      expect([name, look, ...complaints, ...foreign]).toEqual([name, look]);
      expect(page.url()).toBe(address);
      await page.context().close();
    }
  }
});
