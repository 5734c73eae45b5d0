/** Background runs in a real browser: the dialog, the drawer, cancel, the history and the board, in light, dark and on a phone. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  browserHint,
  hasBrowser,
  isAccessible,
  openBrowser,
  openPage,
  shoot,
  shows,
  startServer,
  visit,
} from '../support/browser.ts';
import { hashFolder } from '../support/folder-hash.ts';
import { answer, child, project, unstartedProject } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { putRecord, readRecord, recordsDir, sleeper } from '../support/run-records.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';

/** Run `test` with two leaves, known as a background run that a living process works on; and three of the past. */
async function makeRuns(): Promise<Project> {
  const made = await project({
    script: [{ answer: answer('decomposed', 'two parts', [child('Parser'), child('Printer')]) }],
  });
  await made.run('step');
  const { owner } = await sleeper();
  const ended = { started_at: '2026-11-17T10:00:00.000Z', finished_at: '2026-11-17T10:20:00.000Z' };
  putRecord(made, 'test', {
    title: 'A calculator',
    status: 'running',
    owner,
    agent: 'codex',
    iterations: { used: 1, max: 50 },
    leaves: { passed: 0, all: 2 },
    node: { id: 'root.1', title: 'Parser' },
    last_message: 'reading <b>the</b> grammar',
  });
  putRecord(made, 'pages-1', { ...ended, title: 'Pages', status: 'complete', cost_usd: 1.25 });
  const used = { iterations: { used: 2, max: 2 } };
  putRecord(made, 'pages-2', {
    ...ended,
    ...used,
    title: 'More pages',
    status: 'limit',
    reason: '2 iterations',
    leaves: { passed: 1, all: 2 },
    end: {
      sentence: 'the run has used its iterations',
      hint: 'runner -C /w config set max_iterations 4, then: runner run resume pages-2',
    },
  });
  putRecord(made, 'pages-4', {
    ...ended,
    ...used,
    title: 'No pages',
    status: 'failed',
    reason: 'AGENT_FAILING',
    end: {
      sentence: 'the agent failed 2 times in a row',
      hint: 'runner -C /w log --failed, then: runner run resume pages-4',
    },
  });
  putRecord(made, 'pages-3', { ...ended, title: 'Old pages', status: 'finished' });
  writeFileSync(join(recordsDir(made), 'test.progress.txt'), lines(1, 150));
  return made;
}

function lines(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join('');
}

const views = [
  ['runs', '#/runs', '.run-item', 'runner finish pages-1'],
  ['drawer', '#/runs/test', '.drawer', 'A calculator'],
  ['board', '#/tree?view=board', '.board', 'Printer'],
] as const;

async function visitAll(page: Page, name: string): Promise<void> {
  for (const [view, hash, selector, text] of views) {
    await visit(page, hash);
    await shows(page, selector, text);
    await shoot(page, `control-${view}-${name}`);
    // In another theme only the colours are others.
    await isAccessible(page, `${view} ${name}`, name === 'dark' ? ['color-contrast'] : undefined);
  }
}

test.skipIf(!hasBrowser)(`background runs are watched and canceled${browserHint}`, async () => {
  const made = await makeRuns();
  const { address } = await startServer(made, '0', ['--control']);
  const browser = await openBrowser();
  const { page, complaints, foreign } = await openPage(browser, address);
  const origin = new URL(address).origin;
  // The token is nowhere in the address that a person could copy.
  expect(page.url()).toBe(`${origin}/`);

  await visit(page, '#/runs');
  const item = await shows(page, '.run-item', 'A calculator');
  await expect.poll(() => page.url()).toBe(`${origin}/runs`);
  await shows(page, '[data-run="pages-1"]', /complete.*\$1\.25.*runner finish pages-1/s);
  await shows(
    page,
    '[data-run="pages-2"]',
    /limit.*has used its iterations.*runner finish pages-2 --partial/s,
  );
  const failed = await shows(page, '[data-run="pages-4"]', 'the agent failed 2 times in a row');
  expect(await failed.locator('.command code').allTextContents()).toEqual([
    'runner -C /w log --failed',
    'runner run resume pages-4',
  ]);
  expect(await page.locator('[data-run="pages-3"] .run-finish').count()).toBe(0);

  // The drawer has an address of its own and follows the run.
  await item.locator('a').click();
  await shows(page, '.drawer', 'reading <b>the</b> grammar');
  await expect.poll(() => page.url()).toBe(`${origin}/runs/test`);
  await shows(page, '.drawer .tail', 'line 150');
  expect(await page.locator('.tail p').count()).toBe(120);
  appendFileSync(join(recordsDir(made), 'test.progress.txt'), lines(151, 151));
  await shows(page, '.drawer .tail', 'line 151');
  await shows(page, '.drawer [data-column=at_work]', 'Parser');
  await shows(page, '.drawer [data-column=open]', 'Printer');
  await page.reload();
  await shows(page, '.drawer', 'A calculator');

  await visitAll(page, 'light');
  await page.goBack();
  await page.emulateMedia({ colorScheme: 'dark' });
  await visitAll(page, 'dark');

  await visit(page, '#/runs/test');
  await page.locator('.drawer button', { hasText: 'Cancel' }).click();
  await shows(page, '.drawer .run-audit', 'cancel by web');
  await shows(page, '.drawer .run-status', 'canceled');
  await shows(page, '.drawer button', 'Resume');
  expect(readRecord(made, 'test')).toMatchObject({
    status: 'canceled',
    audit: [{ action: 'cancel', by: 'web' }],
  });
  expect(complaints).toEqual([]);
  expect(foreign.filter((url) => !url.startsWith(origin))).toEqual([]);

  // Who has no token looks, and cannot act.
  const phone = await openPage(browser, `${origin}/runs/test`, { viewport: { width: 390, height: 800 } });
  await shows(phone.page, '.drawer', 'A calculator');
  await shows(phone.page, '.toolbar', 'runner ui --control');
  expect(await phone.page.locator('.drawer button:not(.copy), .toolbar button').count()).toBe(0);
  await visitAll(phone.page, 'phone');
  const width = await phone.page.evaluate<number>('document.documentElement.scrollWidth');
  expect(width).toBeLessThanOrEqual(390);
});

/** Asks a question, waits in the session for as long as a file is there, and is done in its second session. */
const patientAgent = (hold: string): string => `
grep -q colour .runner/state/questions.md || echo '- Which colour?' >> .runner/state/questions.md
while test -e '${hold}'; do sleep 0.05; done
if test -e made.txt; then answer done; else echo made > made.txt; answer retry; fi`;

const desktop = { width: 1280, height: 800 };

/** The page as it is now, in the other theme and on a phone, which it stays on. */
async function inOtherLooks(page: Page, name: string, place: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  await shoot(page, `control-${name}-dark`);
  await isAccessible(page, `${name} dark`, ['color-contrast']);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 390, height: 800 });
  await shoot(page, `control-${name}-phone`);
  await isAccessible(page, `${name} phone`);
  for (const selector of ['html', place]) {
    const hidden = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('${selector}'))`;
    expect(await page.evaluate<number>(hidden), `${name}: ${selector}`).toBe(0);
  }
}

async function press(page: Page, name: string): Promise<void> {
  await page.locator('.drawer button', { hasText: name }).click();
}

test.skipIf(!hasBrowser)(`a run from the dialog to its end${browserHint}`, async () => {
  const made = await unstartedProject({ agent: shellAgent, goal: '# Goal\n\nOld.\n' });
  const hold = join(made.home, 'hold');
  writeFileSync(hold, '');
  playAgent(made, patientAgent(hold));
  const before = hashFolder(made.dir, ['.git']);
  const { address } = await startServer(made, '0', ['--control']);
  const { page, complaints } = await openPage(await openBrowser(), address);

  await visit(page, '#/runs');
  await shows(page, '.empty', 'No background run yet');
  await page.locator('button', { hasText: 'Run …' }).click();
  const form = await shows(page, '.run-form', 'sandbox');
  await form.getByLabel('Goal').fill('# Landing page\n\nMake one.');
  const branch = form.getByLabel('Branch');
  await expect.poll(() => branch.inputValue()).toBe('landing-page-1');
  await isAccessible(page, 'dialog');
  await shoot(page, 'control-dialog');
  await inOtherLooks(page, 'dialog', 'dialog');
  await form.getByLabel('Iterations').fill('7');
  await branch.fill('a..b');
  await form.locator('button', { hasText: 'Start' }).click();
  await shows(page, '.run-form [role=alert]', "must not contain '..'");
  await branch.fill('landing-page-1');
  await form.locator('button', { hasText: 'Start' }).click();
  await page.setViewportSize(desktop);

  await shows(page, '.drawer .run-status', 'running');
  await shows(page, '.drawer .facts', 'of 7');
  await shows(page, '.drawer .tail', /iteration 1/i);
  expect(await page.locator('.run-form').count()).toBe(0);
  await press(page, 'Cancel');
  await shows(page, '.drawer .run-audit', 'cancel by web');
  await shows(page, '.drawer .run-status', 'canceled');

  await press(page, 'Resume');
  await shows(page, '.drawer .run-status', 'running');
  await press(page, 'Pause');
  await shows(page, '.drawer .run-audit', 'pause by web');
  rmSync(hold);
  await shows(page, '.drawer .run-status', 'paused');
  await page.getByLabel(/Answer to question/).fill('blue');
  await inOtherLooks(page, 'answer', '.drawer');
  await press(page, 'Answer');
  await shows(page, '.drawer .questions', 'Which colour? (answered)');
  await page.setViewportSize(desktop);
  await press(page, 'Resume');
  await shows(page, '.drawer .run-status', 'complete');
  await shows(page, '.drawer .run-finish', 'runner finish landing-page-1');
  await shows(page, '.drawer [data-column=passed]', '1');
  await shoot(page, 'control-complete');
  const audit = readRecord(made, 'landing-page-1').audit.map(({ action, by }) => `${action} ${by}`);
  expect(audit).toEqual(['start web', 'cancel web', 'resume web', 'pause web', 'answer web', 'resume web']);
  expect(await made.git('show', 'runner/landing-page-1:.runner/state/answers.md')).toContain('blue');

  await page.locator('.drawer a', { hasText: 'iterations' }).click();
  await shows(page, '.row', 'passed');
  expect(page.url()).toContain('/#/iterations');
  await page.goBack();
  await shows(page, '.drawer .run-status', 'complete');
  expect(hashFolder(made.dir, ['.git'])).toBe(before);
  // The name that was refused is the only thing that a browser tells as an error.
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
});
