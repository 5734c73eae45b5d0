/** What people do with the pages while a run goes on, in a real browser: look away and back, move about, go by keyboard. */
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserHint, hasBrowser, openBrowser, openPage, serve, shows, visit } from '../support/browser.ts';
import type { Project } from '../support/project.ts';
import { answer, child, project, tempFolder, write } from '../support/project.ts';

function fileOf(made: Project, iter: number, name: string): string {
  return join(made.dir, `.runner/iterations/test/${iter}/${name}`);
}

/** One iteration that split the root, with a guard's log of many lines. */
async function makeRun(): Promise<Project> {
  const made = await project({
    script: [{ answer: answer('decomposed', 'two parts', [child('Parser'), child('Printer')]) }],
  });
  await made.run('step');
  const lines = Array.from({ length: 400 }, (_, at) => (at === 20 ? 'error: the first one' : `line ${at}`));
  writeFileSync(fileOf(made, 1, 'guard.log'), `${lines.join('\n')}\n`);
  return made;
}

async function setVisible(page: Page, isVisible: boolean): Promise<void> {
  await page.evaluate(`(() => {
    Object.defineProperty(document, 'visibilityState', { value: '${isVisible ? 'visible' : 'hidden'}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  })()`);
}

test.skipIf(!hasBrowser)(
  `what was written while nobody looked is there afterwards${browserHint}`,
  async () => {
    const made = await makeRun();
    const { page } = await openPage(await openBrowser(), `${await serve(made)}#/iteration/test/1/guard`);
    await shows(page, '.log-line', 'line 399');
    await shows(page, '.top [role=status]', 'connected');
    await setVisible(page, false);
    appendFileSync(fileOf(made, 1, 'guard.log'), 'written meanwhile\n');
    await setVisible(page, true);
    await shows(page, '.log-line', 'written meanwhile');
  },
);

test.skipIf(!hasBrowser)(`a link that moves takes the open log along${browserHint}`, async () => {
  const made = await makeRun();
  const base = tempFolder('moved');
  for (const name of ['one', 'two']) {
    const folder = join(base, name, '.runner/iterations/test/1');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'guard.log'), `guard of folder ${name}\n`);
    writeFileSync(join(folder, 'diff.patch'), `diff --git a/${name} b/${name}\nnew file mode 100644\n`);
  }
  const link = join(base, 'latest');
  symlinkSync(join(base, 'one'), link);
  const linked: Project = { ...made, start: (args) => made.start([...args, '-C', link]) };
  const { page } = await openPage(await openBrowser(), `${await serve(linked)}#/iteration/test/1/guard`);
  await shows(page, '.log-line', 'guard of folder one');
  symlinkSync(join(base, 'two'), `${link}.new`);
  renameSync(`${link}.new`, link);
  await shows(page, '.log-line', 'guard of folder two');
  expect(await page.locator('.log-line', { hasText: 'folder one' }).count()).toBe(0);
  await visit(page, '#/iteration/test/1/diff');
  await shows(page, '.diff-path', 'two');
  symlinkSync(join(base, 'one'), `${link}.new`);
  renameSync(`${link}.new`, link);
  await shows(page, '.diff-path', 'one');
});

test.skipIf(!hasBrowser)(
  `a tree that is not valid leaves the last good one in sight${browserHint}`,
  async () => {
    const made = await makeRun();
    const { page } = await openPage(await openBrowser(), `${await serve(made)}#/tree?view=list`);
    await shows(page, '[role=treeitem]', 'Printer');
    const tree = made.read('.runner/state/tree.json');
    made.put('.runner/state/tree.json', tree.slice(0, tree.length / 2));
    await shows(page, '[role=alert]', 'tree.json is not a valid task tree');
    await expect.poll(() => page.locator('[role=alert] p').count()).toBe(2);
    await shows(page, '[role=treeitem]', 'Printer');
    made.put('.runner/state/tree.json', tree.replace('"Printer"', '"Press"'));
    await shows(page, '[role=treeitem]', 'Press');
    await page.locator('[role=alert]').waitFor({ state: 'detached' });
    rmSync(join(made.dir, '.runner/state/tree.json'));
    await shows(page, '.empty', 'runner init');
  },
);

test.skipIf(!hasBrowser)(`the way to the first error can be taken again${browserHint}`, async () => {
  const made = await makeRun();
  const { page } = await openPage(await openBrowser(), `${await serve(made)}#/iteration/test/1/guard`);
  await shows(page, 'button', 'First error (line 21)');
  for (const _ of ['first', 'again']) {
    await page.evaluate(`document.querySelector('.virtual').scrollTop = 1e6`);
    await shows(page, '.log-line', 'line 399');
    await page.keyboard.press('e');
    await shows(page, '.log-line.is-marked', 'error: the first one');
  }
});

test.skipIf(!hasBrowser)(`from the tree, too, two keys lead to another page${browserHint}`, async () => {
  const made = await makeRun();
  const { page } = await openPage(await openBrowser(), `${await serve(made)}#/tree?node=root.1`);
  await shows(page, '.tree-side', 'Parser');
  await page.locator('.drawing:focus').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('n');
  await shows(page, '.now-card', 'Ready');
});

/** Where the drawing is, as pixels. */
const pixels = `document.querySelector('canvas').toDataURL()`;

/** Drags the drawing down until nothing of it is in sight, and says how that looks. */
async function drag(page: Page): Promise<string> {
  const before = await page.evaluate<string>(pixels);
  for (const _ of ['half', 'all']) {
    await page.mouse.move(400, 140);
    await page.mouse.down();
    await page.mouse.move(400, 780, { steps: 4 });
    await page.mouse.up();
  }
  await expect.poll(async () => (await page.evaluate<string>(pixels)) === before).toBe(false);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  return page.evaluate<string>(pixels);
}

test.skipIf(!hasBrowser)(
  `a drawing that somebody moved stays when the tree changes${browserHint}`,
  async () => {
    const made = await makeRun();
    const { page } = await openPage(await openBrowser(), `${await serve(made)}#/tree?node=root.1`);
    await shows(page, '.tree-side', 'Parser');
    const moved = await drag(page);
    const isMoved = async (): Promise<boolean> => (await page.evaluate<string>(pixels)) === moved;
    made.put(
      '.runner/state/tree.json',
      made.read('.runner/state/tree.json').replace('Parser goal', 'Another goal'),
    );
    await shows(page, '.tree-side', 'Another goal');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await isMoved()).toBe(true);
    // Whoever asks for the node that is worked on sees it again.
    await page.locator('button', { hasText: /^(Current|Next) task$/u }).click();
    await expect.poll(isMoved).toBe(false);
  },
);

test.skipIf(!hasBrowser)(
  `every file of an iteration can be opened, long ones too${browserHint}`,
  async () => {
    const made = await makeRun();
    await made.run('step');
    const event = (seq: number): string =>
      JSON.stringify({ v: 1, seq, at: '2026-11-17T10:00:00Z', type: 'message', text: `said ${seq}` });
    const events = Array.from({ length: 700 }, (_, at) => `${event(at + 1)}\n`);
    writeFileSync(fileOf(made, 1, 'events.jsonl'), events.join(''));
    writeFileSync(
      fileOf(made, 1, 'guard.log'),
      `first\n${'a line of a guard\n'.repeat(150_000)}error: late\n`,
    );
    const { page } = await openPage(await openBrowser(), `${await serve(made)}#/iteration/test/1/activity`);

    // What is older stands above, and so does the way to it.
    await shows(page, '.activity-row', 'said 700');
    expect(await page.locator('.text-page > button + .activity').count()).toBe(1);
    await page.locator('button', { hasText: 'Load earlier' }).click();
    await shows(page, '.activity-row', 'said 1');

    // The number of a line is known only where the beginning is.
    await visit(page, '#/iteration/test/1/guard');
    await shows(page, 'button', 'First error of this part');

    await visit(page, '#/iteration/test/1');
    await page.locator('.files a', { hasText: 'tree.agent.json' }).click();
    await shows(page, 'body', '"max_attempts"');
    expect(page.url()).toContain('/api/iterations/test/1/tree.agent.json');
  },
);

test.skipIf(!hasBrowser)(`an iteration that a crash left is found by its filter${browserHint}`, async () => {
  const made = await makeRun();
  mkdirSync(fileOf(made, 2, '.'), { recursive: true });
  const { page } = await openPage(await openBrowser(), `${await serve(made)}#/iterations`);
  await shows(page, '.row', 'unfinished');
  await page.locator('select[aria-label=Outcome]').selectOption('unfinished');
  await shows(page, '.toolbar', '1 shown');
});

test.skipIf(!hasBrowser)(`the time of an exported page stands still${browserHint}`, async () => {
  const made = await project({
    guard: ['sh', '-c', 'while test -e ../home/hold; do sleep 0.05; done'],
    script: [{ actions: [write('a.txt', 'a')], answer: answer('done', 'all of it') }],
  });
  const hold = join(made.home, 'hold');
  writeFileSync(hold, '');
  const running = made.start(['step']);
  const file = join(made.base, 'run.html');
  await expect.poll(async () => (await made.run('status')).out, { timeout: 20_000 }).toContain('guard');
  expect((await made.run('export', '--html', file)).code).toBe(0);
  rmSync(hold);
  await running;
  const { page } = await openPage(await openBrowser(), pathToFileURL(file).href);
  const elapsed = async (): Promise<string> => (await shows(page, '.fact', 'elapsed')).innerText();
  const before = await elapsed();
  await page.waitForTimeout(2100);
  expect(await elapsed()).toBe(before);
});

test.skipIf(!hasBrowser)(`what is not there is said with what to do${browserHint}`, async () => {
  const made = await makeRun();
  mkdirSync(fileOf(made, 2, '.'), { recursive: true });
  const phone = { viewport: { width: 390, height: 844 } };
  const { page } = await openPage(await openBrowser(), `${await serve(made)}#/iteration/test/2/meta`, phone);
  // A deep link leads to its tab, also where there is no room for all of them.
  const tab = await shows(page, '.tabs [aria-current]', 'Meta');
  const { x = -1, width = 0 } = (await tab.boundingBox()) ?? {};
  expect(x >= 0 && x + width <= 390).toBe(true);
  await visit(page, '#/iteration/test/2/prompt');
  await shows(page, '.empty', 'No prompt was kept');
  await visit(page, '#/iteration/test/2/diff');
  await shows(page, '.empty', 'runner step');
  await visit(page, '#/iteration/test/3');
  await (await shows(page, '.empty a', 'All iterations')).click();
  await shows(page, '.row', 'split');
});

test.skipIf(!hasBrowser)(
  `the row that somebody chose stays chosen when another comes${browserHint}`,
  async () => {
    const made = await makeRun();
    const { page } = await openPage(await openBrowser(), `${await serve(made)}#/iterations`);
    await shows(page, '.row', 'split');
    await shows(page, '.top [role=status]', 'connected');
    await page.keyboard.press('j');
    await shows(page, '.row.is-active', 'split');
    mkdirSync(fileOf(made, 2, '.'), { recursive: true });
    await shows(page, '.row', 'unfinished');
    await shows(page, '.row.is-active', 'split');
  },
);

test.skipIf(!hasBrowser)(
  `after a link of the menu, by Tab and Enter, the keys are those of the page${browserHint}`,
  async () => {
    const made = await makeRun();
    const { page } = await openPage(await openBrowser(), await serve(made));
    await shows(page, '.now-card', 'Ready');
    // The way to the page, the brand, Now, Tree, Iterations.
    for (let press = 0; press < 5; press += 1) await page.keyboard.press('Tab');
    await shows(page, '.menu a:focus', 'Iterations');
    await page.keyboard.press('Enter');
    await shows(page, '.row', 'split');
    await page.keyboard.press('j');
    await shows(page, '.row.is-active', 'split');
    await page.keyboard.press('Enter');
    await shows(page, 'h1', 'Iteration 1');
    await page.locator('.menu a', { hasText: 'Tree' }).focus();
    await page.keyboard.press('Enter');
    await shows(page, '.tree-side', 'Parser');
    await page.keyboard.press('ArrowDown');
    await shows(page, '.tree-side', 'Printer');
  },
);

test.skipIf(!hasBrowser)(
  `a log is searched, numbered, wrapped, copied and downloaded${browserHint}`,
  async () => {
    const made = await makeRun();
    const long = `${'wide '.repeat(200)}end-of-it`;
    appendFileSync(fileOf(made, 1, 'guard.log'), `${long}\n`);
    const browser = await openBrowser();
    const { page } = await openPage(browser, `${await serve(made)}#/iteration/test/1/guard`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await shows(page, '.log-line', 'line 399');
    await page.keyboard.press('/');
    await page.keyboard.type('LINE 12');
    await shows(page, '.found', '11 lines');
    await page.keyboard.press('Enter');
    await shows(page, '.log-line.is-marked', /^13line 12$/);
    await page.keyboard.press('Enter');
    await shows(page, '.log-line.is-marked mark', 'line 12');
    await shows(page, '.found', '2 of 11 lines');
    await page.keyboard.press('Shift+Enter');
    await shows(page, '.found', '1 of 11 lines');
    await page.keyboard.press('Escape');
    await page.keyboard.type('end-of-it');
    await page.keyboard.press('Enter');
    const marked = page.locator('.log-line.is-marked');
    await expect.poll(() => marked.count()).toBe(1);
    await page.locator('button', { hasText: 'Wrap' }).click();
    await expect.poll(() => marked.count()).toBeGreaterThan(3);
    await page.locator('.log-bar .copy').click();
    await shows(page, '.log-bar .copy', 'Copied');
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(readFileSync(fileOf(made, 1, 'guard.log'), 'utf8').trimEnd());
    const download = page.waitForEvent('download');
    await page.locator('a', { hasText: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('test-1-guard.log');

    // Of a log that is too long to be loaded at once nobody says that it has no errors.
    writeFileSync(fileOf(made, 1, 'guard.log'), 'all is well\n'.repeat(250_000));
    await page.reload();
    await shows(page, 'button:disabled', 'No error in this part');
  },
);
