/**
 * Every state of a run on the pages, in a real browser: the first view says what the commands say, with the command that helps, and no page
 * has a barrier. `npm run pictures` keeps what it saw of every page, in light, dark and on a phone.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  browserHint,
  hasBrowser,
  isAccessible,
  launchBrowser,
  openPage,
  serve,
  shootWhole,
  shows,
  visit,
} from '../support/browser.ts';
import { pageStates } from '../support/page-states.ts';
import type { MadeState } from '../support/page-states.ts';

interface Situation {
  readonly state: string;
  readonly title: string;
  readonly sentence: string;
  readonly details: readonly string[];
  readonly hint: string;
  readonly commands: readonly string[];
  readonly until: string | null;
}

const isForPictures = process.env['RUNNER_SCREENSHOTS'] !== undefined;

/** What the page shows, without its buttons. */
const wordsOf = (selector: string): string =>
  `(() => { const one = document.querySelector('${selector}')?.cloneNode(true); if (!one) return ''; for (const each of one.querySelectorAll('button')) each.remove(); return one.textContent.trim(); })()`;

const expected: Readonly<Record<string, string>> = {
  guard: 'working',
  login: 'stopped',
  timeout: 'stopped',
  dirty: 'stopped',
  'no agent': 'stopped',
};

async function saysTheSame(page: Page, { made, loop }: MadeState, name: string): Promise<void> {
  const { situation } = JSON.parse((await made.run('status', '--json')).out) as { situation: Situation };
  expect(situation.state).toBe(expected[name] ?? name);
  await shows(page, '.now-head h1', situation.title);
  const { sentence, until } = situation;
  const next = until === null ? '' : `; next try at ${new Date(until).toTimeString().slice(0, 5)}`;
  expect(await page.evaluate(wordsOf('.now-sentence'))).toBe(`${sentence}${next}`);
  expect(await page.locator('.now-details li').allTextContents()).toEqual(situation.details);
  expect(await page.evaluate(wordsOf('.now-todo .hint'))).toBe(situation.hint);
  const commands = await page.locator('.now-todo .command code').allTextContents();
  expect(commands).toEqual(situation.commands);
  expect(await page.title()).toContain(situation.title);
  // What the loop itself said when it ended: its error, or the last row of its summary.
  if (loop === null) return;
  // To whom types `loop` nobody says that `loop` goes on.
  expect(loop.err).toContain(situation.hint.replace(/, then: runner loop$/u, ''));
  if (!loop.err.includes('error: ')) return;
  expect(loop.err).toContain(`error: ${situation.sentence} [`);
  for (const line of situation.details) expect(loop.err).toContain(`\n  ${line}\n`);
}

/** What other pages say of the state: address, selector, text. */
const elsewhere: Readonly<Record<string, readonly (readonly [string, string, string | RegExp])[]>> = {
  waiting: [
    ['iteration/test/3', '.page-head .badge', 'waiting'],
    ['iteration/test/3', '.summary-tab .now-sentence', /is not taking requests.*next try at/u],
    ['iterations', '.row .badge', 'waiting'],
  ],
  crashed: [
    ['iteration/test/3', '.summary-tab .now-sentence', 'ended in iteration 3 while the agent was at work'],
  ],
  guard: [['iteration/test/3', '.summary-tab .phase.is-now', 'guard']],
  stuck: [
    ['node/root.2', '.first-error', 'not ok 3 - accents go'],
    ['node/root.2', '.steps code', 'runner retry root.2'],
    ['iteration/test/2/guard', '.log-bar', /exit code 1 · \d/u],
    ['iteration/test/2/guard', '.log-line.is-marked', 'not ok 3'],
    ['memory', '.questions li', /2\.1.*emoji/u],
    ['runs', '.run-card .tag', 'current, stuck'],
  ],
  working: [
    ['tree', '.tree-side .badge', 'at work'],
    ['now', '.counts', /1 at work.*0 open/u],
    ['tree?view=list', '.tree-row .tag', 'current'],
  ],
  paused: [['tree', '.tree-side .tag', 'next']],
  complete: [['now', '.made li', /Drop accents.*guard failed/u]],
  dirty: [
    ['runs', '.run-card .tag', 'current, stopped'],
    ['iterations', '.empty', 'The run has stopped'],
  ],
};

async function saysElsewhere(page: Page, name: string, { made }: MadeState): Promise<void> {
  for (const [hash, selector, text] of elsewhere[name] ?? []) {
    await visit(page, `#/${hash}`);
    await shows(page, selector, text);
  }
  if (name === 'dirty') {
    await visit(page, '#/now');
    await made.commitAll('of a person');
    await shows(page, '.now-head h1', 'Ready');
  }
  // A session that made no iteration is none.
  if (name !== 'login') return;
  await visit(page, '#/iterations');
  await shows(page, '.row', 'passed');
  expect(await page.locator('.row:not(.row-head)').count()).toBe(2);
}

const views = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true },
} as const;

/** Every page; a fresh project has few of them. */
function pagesOf(name: string): readonly string[] {
  const plain = ['now', 'tree', 'tree?view=list', 'tree?view=board', 'iterations', 'memory', 'runs'];
  if (name === 'fresh' || name === 'dirty' || name === 'no agent') return plain;
  const tabs = ['', '/prompt', '/activity', '/guard', '/diff', '/tree', '/log', '/meta'];
  const last = ['working', 'guard', 'waiting', 'crashed', 'timeout'].includes(name) ? 3 : 2;
  const deep = [
    ...tabs.map((tab) => `iteration/test/2${tab}`),
    `iteration/test/${last}`,
    `iteration/test/${last}/guard`,
    'node/root.2',
  ];
  return [...plain, ...deep];
}

/** Ordinarily one view of the first page, and of one state every page; for pictures all of them. */
function sightsOf(name: string): readonly (readonly [keyof typeof views, readonly string[]])[] {
  const all = ['light', 'dark', 'phone'] as const;
  if (isForPictures) return all.map((view) => [view, pagesOf(name)]);
  if (name === 'stuck') return [['phone', pagesOf(name)]];
  return [[all[name.length % 3] ?? 'light', ['now']]];
}

async function look(browser: Browser, address: string, name: string): Promise<void> {
  for (const [view, pages] of sightsOf(name)) {
    const { page, complaints } = await openPage(browser, address, views[view]);
    for (const hash of pages) {
      await visit(page, `#/${hash}`);
      await page.locator('main .loading').waitFor({ state: 'detached' });
      await isAccessible(page, `${name} ${hash} ${view}`);
      await shootWhole(page, `${name}-${hash.replaceAll(/[^a-z0-9]+/giu, '-')}-${view}`.replaceAll(' ', '-'));
    }
    expect.soft(complaints).toEqual([]);
    await page.context().close();
  }
}

let browser: Browser | null = null;

beforeAll(async () => {
  browser = hasBrowser ? await launchBrowser() : null;
});

afterAll(async () => browser?.close());

for (const [name, make] of Object.entries(pageStates())) {
  test.skipIf(!hasBrowser)(
    `${name}: the page says what the commands say${browserHint}`,
    { timeout: isForPictures ? 900_000 : 120_000 },
    async () => {
      if (browser === null) return;
      const state = await make();
      const address = await serve(state.made);
      const { page, complaints } = await openPage(browser, address);
      await shows(page, '.now-card', /./);
      await saysTheSame(page, state, name);
      expect(complaints).toEqual([]);
      await look(browser, address, name);
      await saysElsewhere(page, name, state);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );
}
