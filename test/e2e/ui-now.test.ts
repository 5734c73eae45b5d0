/** *Now* and what it leads to, in a real browser: what the run is about, what failed and where, what is asked, waits and pauses. */
import { basename } from 'node:path';
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
import { pageStates } from '../support/page-states.ts';
import type { MadeState } from '../support/page-states.ts';
import { project, unstartedProject } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { putRecord } from '../support/run-records.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

const tree = node('root', {
  title: 'Root',
  children: [
    node('root.1', { title: 'Sum by customer', acceptance: ['`npm test` is green'], max_attempts: 1 }),
  ],
});

async function makeRun(config = ''): Promise<Project> {
  const made = await project({
    agent: `${shellAgent}\n${config}`,
    tree,
    guard: shellGuard,
    goal: '# Invoice report\n\nTotals by customer.\n',
  });
  playGuard(made, 'seq 60; echo "not ok - sum"; seq 400; exit 1');
  return made;
}

const states = pageStates();

const openState = async (name: string): Promise<MadeState> => {
  const make = states[name];
  if (make === undefined) throw new Error(name);
  return make();
};

const topOf = async (page: Page, selector: string, text: string): Promise<number> =>
  (await (await shows(page, selector, text)).boundingBox())?.y ?? Number.NaN;

test.skipIf(!hasBrowser)(
  `what it is about, what failed and what is asked${browserHint}`,
  { timeout: 120_000 },
  async () => {
    const made = await makeRun();
    playAgent(
      made,
      `echo work > part.js
      printf '\\n## Are amounts always in cents?\\n\\nThe goal does not say.\\n' >> .runner/state/questions.md
      answer done`,
    );
    await made.run('loop');
    const browser = await openBrowser();
    const address = await serve(made);
    const { page, complaints } = await openPage(browser, address);

    await shows(page, '.top-about', new RegExp(`Invoice report.*${basename(made.dir)} · runner/test`, 's'));
    await expect.poll(() => page.title()).toMatch(/^■ Stuck 0\/1 · Now · Invoice report$/u);
    const asked = await shows(
      page,
      '.questions li',
      /1\.1.*Are amounts always in cents\?.*The goal does not say/s,
    );
    expect(await asked.locator('.command code').textContent()).toBe("runner answer 1.1 '…'");
    await isAccessible(page, 'now, stuck');
    await shoot(page, 'now-asked-light');

    // The link leads to the line, and the key to the link.
    const link = await shows(page, '.card a[data-key=e]', 'Guard, line 61');
    expect(await link.getAttribute('href')).toBe('#/iteration/test/1/guard?line=61');
    await page.locator('main').focus();
    await page.keyboard.press('e');
    const line = await shows(page, '.log-line.is-marked', 'not ok - sum');
    const [box, log] = [await line.boundingBox(), await page.locator('.log').boundingBox()];
    if (box === null || log === null) throw new Error('the line is not in sight');
    expect(Math.abs(box.y + box.height / 2 - (log.y + log.height / 2))).toBeLessThan(40);
    // Another part of the iteration is not at this line.
    await page.locator('.tabs a', { hasText: 'Raw log' }).click();
    await expect.poll(() => page.url()).toMatch(/\/log$/u);

    await visit(page, '#/node/root.1');
    await shows(page, '.acceptance code', 'npm test');
    await visit(page, '#/node/root');
    expect(complaints).toEqual([]);

    const phone = await openPage(browser, address, { viewport: { width: 390, height: 844 } });
    await shows(phone.page, '.top-about', 'Invoice report');
    const failed = await topOf(phone.page, '.card h2', 'What failed');
    const progress = await topOf(phone.page, '.card h2', 'Progress');
    expect(progress).toBeGreaterThan(await topOf(phone.page, '.now-card h1', 'Stuck'));
    expect(failed).toBeGreaterThan(progress);
    expect(failed).toBeLessThan(await topOf(phone.page, '.card h2', 'Last iterations'));
    expect(await phone.page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
      390,
    );
    await shoot(phone.page, 'now-asked-phone');
    await page.emulateMedia({ colorScheme: 'dark' });
    await visit(page, '#/now');
    await shows(page, '.questions li', '1.1');
    await shoot(page, 'now-asked-dark');

    // An answer takes it off the page.
    await made.run('answer', '1.1', 'Yes.');
    await expect.poll(() => page.locator('.questions li').count()).toBe(0);
  },
);

test.skipIf(!hasBrowser)(`a failed agent: the first error of what it printed${browserHint}`, async () => {
  const made = await makeRun('max_failures = 1');
  playAgent(
    made,
    `echo '{"type":"error_of_its_work"}'; echo starting
    echo "Error: Cannot find module 'csv'" >&2; exit 1`,
  );
  await made.run('loop');
  const { page } = await openPage(await openBrowser(), await serve(made));
  await shows(page, '.first-error', "Error: Cannot find module 'csv'");
  await shoot(page, 'agent-failed-light');
  const link = await shows(page, '.card a[data-key=e]', /^Raw log, line \d+$/u);
  await link.click();
  await shows(page, '.log-line.is-marked', 'Cannot find module');
  expect((await made.run('log', '--first-error')).out).toContain("error=Error: Cannot find module 'csv'");
});

test.skipIf(!hasBrowser)(`the page tells of a pause that was asked for${browserHint}`, async () => {
  const { made } = await openState('working');
  const { page } = await openPage(await openBrowser(), await serve(made));
  await shows(page, '.now-todo', 'Nothing to do');
  await made.run('pause');
  await shows(page, '.now-head h1', 'Pausing');
  await shows(page, '.now-sentence', 'it pauses after this iteration');
  await shows(page, '.now-todo', 'Then runner loop goes on.');
  await shoot(page, 'pausing-light');
  expect((await made.run('status')).out).toContain('pausing=true');
});

test.skipIf(!hasBrowser)(`a wait is no part of the time of an iteration${browserHint}`, async () => {
  const { made } = await openState('waiting');
  const { page } = await openPage(await openBrowser(), await serve(made));
  await shows(page, '.now-details', 'claude');
  const { situation, iteration } = JSON.parse((await made.run('status', '--json')).out) as {
    readonly situation: { readonly since: string; readonly waited_ms: number };
    readonly iteration: { readonly started_at: string };
  };
  const workedMs = Date.parse(situation.since) - Date.parse(iteration.started_at) - situation.waited_ms;
  const elapsed = page.locator('.fact', { hasText: 'elapsed' }).locator('.number');
  await expect
    .poll(() => Date.now() - Date.parse(situation.since), { timeout: 20_000 })
    .toBeGreaterThan(3000);
  const seconds = String(Math.floor(workedMs / 1000)).padStart(2, '0');
  expect(await elapsed.textContent()).toBe(`00:${seconds}`);
  await shoot(page, 'waiting-light');
});

test.skipIf(!hasBrowser)(
  `complete: what it made; stopped before a session: no promise${browserHint}`,
  { timeout: 120_000 },
  async () => {
    const browser = await openBrowser();
    const done = await openPage(browser, await serve((await openState('complete')).made));
    await shows(done.page, '.made li', /[0-9a-f]{10}.*Lower-case and join words.*1 file/s);
    await shoot(done.page, 'complete-light');
    const stopped = await openPage(browser, await serve((await openState('no agent')).made));
    await shows(stopped.page, '.empty', 'No session has begun yet');
  },
);

test.skipIf(!hasBrowser)(`nothing was started here: the runs in the background${browserHint}`, async () => {
  const made = await unstartedProject({ agent: shellAgent });
  putRecord(made, 'pages-1', {
    title: 'Pages',
    status: 'failed',
    reason: 'AGENT_FAILING',
    end: { sentence: 'the agent failed 2 times in a row', hint: 'runner run resume pages-1' },
  });
  putRecord(made, 'pages-2', { title: 'Old pages', status: 'finished' });
  const { address } = await startServer(made, '0', ['--control']);
  const { page } = await openPage(await openBrowser(), address);
  await shows(page, '.elsewhere li', /Pages.*failed.*the agent failed 2 times in a row/s);
  expect(await page.locator('.elsewhere li').count()).toBe(1);
  await shoot(page, 'elsewhere-light');
  await page.locator('.elsewhere a').click();
  await shows(page, '.drawer .command', 'runner run resume pages-1');
  await shoot(page, 'drawer-failed-light');
});
