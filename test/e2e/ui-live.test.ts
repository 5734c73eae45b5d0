/** `runner ui` in a real browser while a scripted run goes on: every page follows by itself, can be used by keyboard, and changes nothing. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  startServer,
  visit,
} from '../support/browser.ts';
import { hashFolder } from '../support/folder-hash.ts';
import type { Project } from '../support/project.ts';
import { answer, child, project, write } from '../support/project.ts';
import { isWhole } from '../support/whole.ts';

const guardScript = `#!/bin/sh
printf 'checking the work\\n\\033[32mok\\033[0m one\\n'
while test -e ../home/hold; do sleep 0.05; done
if grep -q broken app.txt; then
  printf '\\033[1;31merror: app.txt is broken\\033[0m\\nmore lines\\n'
  exit 1
fi
echo fine
`;

function makeRun(): Promise<Project> {
  return project({
    files: { 'app.txt': 'first\nsecond\nthird\n', 'guard.sh': guardScript },
    guard: ['sh', 'guard.sh'],
    script: [
      {
        actions: [{ print: 'planning the work\n' }],
        answer: answer('decomposed', 'three parts', [child('Parser'), child('Printer'), child('Docs')]),
      },
      {
        actions: [{ print: 'editing app.txt\n' }, write('app.txt', 'first\nbroken\nthird\n')],
        answer: answer('done', 'parser is there'),
      },
      {
        actions: [{ print: 'mending app.txt\n' }, write('app.txt', 'first\nmended\nthird\n')],
        answer: answer('done', 'parser works'),
      },
      { actions: [{ print: 'thinking\n' }], answer: answer('retry', 'needs another look') },
      {
        actions: [{ print: 'one more moment\n' }, write('printer.txt', 'x\n')],
        answer: answer('done', 'printer prints'),
      },
    ],
  });
}

const iteration = '#/iteration/test/2';

/** Every page with something that only it shows. */
const views = [
  ['now', '#/now', '.now-card', /Working|Ready/],
  ['tree', '#/tree?node=root.1', '.tree-side', 'Parser'],
  ['tree-list', '#/tree?view=list&node=root.1', '[role=treeitem]', 'Parser'],
  ['iterations', '#/iterations', '.row', 'guard failed'],
  ['filtered', '#/iterations?status=guard%20failed', '.toolbar', '1 shown'],
  ['found-by-title', '#/iterations?node=pars', '.toolbar', '2 shown'],
  ['node', '#/node/root.1', '.attempts', 'guard fail'],
  ['memory', '#/memory', '.card', 'Questions'],
  ['runs', '#/runs', '.run-card', 'current'],
  ['summary', iteration, '.summary-tab', 'parser is there'],
  ['prompt', `${iteration}/prompt`, '.text-page', 'Make it work'],
  ['activity', `${iteration}/activity`, '.activity', 'editing app.txt'],
  ['guard', `${iteration}/guard`, '.log-line .fg1', 'error: app.txt is broken'],
  ['diff', `${iteration}/diff`, '.diff-line.is-add', 'broken'],
  ['tree-diff', `${iteration}/tree`, '.tree-diff-row.is-changed', 'attempts'],
  ['log', `${iteration}/log`, '.log-line', 'editing app.txt'],
  ['meta', `${iteration}/meta`, '.text-page', '"node_path"'],
] as const;

/** In another theme only the colours are others. */
const rulesOf = { light: undefined, dark: ['color-contrast'] } as const;

async function visitAll(page: Page, name: 'light' | 'dark' | 'phone'): Promise<void> {
  for (const [view, hash, selector, text] of views) {
    await visit(page, hash);
    await shows(page, selector, text);
    await shoot(page, `${view}-${name}`);
    if (name !== 'phone') await isAccessible(page, `${view} ${name}`, rulesOf[name]);
  }
}

/** A mark that only a reload would take away. */
async function markPage(page: Page): Promise<void> {
  await page.evaluate('window.isTheSamePage = true');
}

test.skipIf(!hasBrowser)(`the pages follow a run and change nothing${browserHint}`, async () => {
  const made = await makeRun();
  const address = await serve(made);
  const browser = await openBrowser();
  const { page, complaints, foreign } = await openPage(browser, address);
  await markPage(page);

  // Before anything happened.
  await shows(page, '.now-card', 'Ready');
  await shows(page, '.top [role=status]', 'connected');
  await visit(page, '#/iterations');
  await shows(page, '.empty', 'No iterations yet');

  // Each iteration appears by itself.
  expect((await made.run('step')).code).toBe(0);
  await shows(page, '.row', 'split');
  expect((await made.run('step')).code).not.toBe(2);
  await shows(page, '.row', 'guard failed');
  await visit(page, '#/tree?view=list');
  await shows(page, '[role=treeitem][data-node="root.1"][data-state=retrying]', 'Parser');
  await made.run('step');
  await shows(page, '[role=treeitem][data-node="root.1"][data-state=passed]', 'Parser');
  await shows(page, '[role=treeitem][data-node="root.2"].is-current', 'Printer');
  await visit(page, '#/now');
  await made.run('step');
  await shows(page, '.last', /4\s*Printer/);

  // While one is under way.
  const hold = join(made.home, 'hold');
  writeFileSync(hold, '');
  const running = made.start(['step']);
  await shows(page, '.now-card', 'Working');
  await shows(page, '.phase.is-now', 'guard');
  // What the guard prints is there before it has ended.
  await shows(page, '.log-line', 'checking the work');
  expect(await page.title()).toContain('Working 1/3');
  await shoot(page, 'running-light');
  await isAccessible(page, 'running');
  rmSync(hold);
  await running;
  await shows(page, '.last', /5\s*Printer/);
  await shows(page, '.now-card', 'Ready');
  expect(await page.evaluate('window.isTheSamePage')).toBe(true);

  // A click-through of everything leaves the project as it was.
  const before = hashFolder(made.top);
  await visitAll(page, 'light');
  const dark = await openPage(browser, address, { colorScheme: 'dark' });
  expect(await dark.page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(23, 25, 28)');
  if (isWhole) await visitAll(dark.page, 'dark');
  const phone = await openPage(browser, address, { viewport: { width: 390, height: 844 } });
  await visitAll(phone.page, 'phone');
  const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
  expect(await phone.page.evaluate(isTooWide)).toBe(false);
  expect(hashFolder(made.top)).toBe(before);
  expect([...complaints, ...dark.complaints, ...phone.complaints]).toEqual([]);
  expect([...foreign, ...dark.foreign, ...phone.foreign]).toEqual([]);
});

test.skipIf(!hasBrowser)(`keys, deep links, a lost connection${browserHint}`, async () => {
  const made = await makeRun();
  await made.run('step');
  await made.run('step');
  const { address, stop } = await startServer(made);
  const browser = await openBrowser();
  const { page, complaints } = await openPage(browser, `${address}#/iteration/test/2/guard`);

  // A deep link leads there; the first error is one key away.
  await shows(page, 'h1', 'Iteration 2');
  await shows(page, 'button', 'First error');
  await page.keyboard.press('e');
  await shows(page, '.log-line.is-marked', 'error: app.txt is broken');
  await page.locator('a[data-key=previous]').waitFor();
  await page.keyboard.press('[');
  await shows(page, 'h1', 'Iteration 1');
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await shows(page, '.row', 'guard failed');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await shows(page, '.row.is-active', 'split');
  await page.keyboard.press('Enter');
  await shows(page, 'h1', 'Iteration 1');

  // The tree by keyboard alone.
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await shows(page, '.tree-side', 'Parser');
  await page.keyboard.press('/');
  await page.keyboard.type('docs');
  await page.keyboard.press('Enter');
  await shows(page, '.tree-side', 'Docs');
  // The address follows after the paint.
  await expect.poll(() => page.url()).toContain('node=root.3');
  await page.locator('a.button', { hasText: 'List' }).click();
  // A key counts from the chosen row on, so the list has to show it first.
  await shows(page, '[role=treeitem][aria-selected=true]', 'Docs');
  await page.locator('.tree-list').focus();
  await page.keyboard.press('ArrowUp');
  await shows(page, '[role=treeitem][aria-selected=true]', 'Printer');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await shows(page, '[role=treeitem][aria-expanded=false]', 'root');
  await page.keyboard.press('ArrowRight');
  await shows(page, '[role=treeitem][aria-level="2"]', 'Docs');

  // Help and colours.
  await page.keyboard.press('?');
  await shows(page, 'dialog[open]', 'first error');
  await isAccessible(page, 'help');
  await page.keyboard.press('Escape');
  await page.locator('dialog[open]').waitFor({ state: 'detached' });
  await page.keyboard.press('d');
  await page.keyboard.press('d');
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  expect(complaints).toEqual([]);

  // Without its server the page says so, and heals when it is back.
  await visit(page, '#/iterations');
  await shows(page, '.row', 'guard failed');
  await stop();
  await shows(page, '.connection', 'connection lost');
  await made.run('step');
  await startServer(made, new URL(address).port);
  await shows(page, '.top [role=status]', 'connected');
  await shows(page, '.row', 'passed');
});
