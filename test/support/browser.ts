/**
 * A real browser for a test: Debian's Chromium, driven by playwright-core. Everything the page complains about or asks of other hosts is
 * collected; nothing waits for a fixed time.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { Project } from './project.ts';

function findBrowser(): string | undefined {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const files = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)));
  return [process.env['RUNNER_TEST_BROWSER'] ?? '', ...files].find((file) => existsSync(file));
}

const browserFile = findBrowser();

/** Where it is missing these tests are skipped, and their names say what installs it. */
export const hasBrowser = browserFile !== undefined;

export const browserHint = hasBrowser ? '' : ' (skipped: apt-get install -y chromium)';

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserFile ?? 'chromium',
    // Containers give it no namespaces of its own.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

export async function openBrowser(): Promise<Browser> {
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  return browser;
}

/** `runner ui` on a free port or a given one, ended with the test at the latest. */
export async function startServer(
  made: Project,
  port = '0',
  args: readonly string[] = [],
): Promise<{ readonly address: string; readonly stop: () => Promise<void> }> {
  const server = made.start(['ui', '--port', port, ...args]);
  const stop = async (): Promise<void> => {
    server.kill('SIGTERM');
    await server;
  };
  onTestFinished(stop);
  const address = await new Promise<string>((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (piece: Buffer) => {
      text += piece.toString();
      const [, found] = /address=(\S+)/.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    void server.then(({ stderr }) => reject(new Error(`runner ui ended: ${stderr}`)));
  });
  return { address, stop };
}

export async function serve(made: Project): Promise<string> {
  const { address } = await startServer(made);
  return address;
}

export interface Seen {
  readonly page: Page;
  /** Console errors, uncaught errors, dialogs. */
  readonly complaints: string[];
  /** Requests to other places. */
  readonly foreign: string[];
}

export async function openPage(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Seen> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  await page.goto(address);
  return { page, complaints, foreign };
}

/** Another view of the same page: no reload. */
export async function visit(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    (globalThis as unknown as { location: { hash: string } }).location.hash = to;
  }, hash);
}

export async function shows(page: Page, selector: string, text: string | RegExp): Promise<Locator> {
  const found = page.locator(selector).filter({ hasText: text }).first();
  await found.waitFor({ timeout: 30_000 });
  return found;
}

const axeText = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** No violation of what axe knows, on the page as it is now. */
export async function isAccessible(page: Page, name: string, rules?: readonly string[]): Promise<void> {
  await page.evaluate(`window.axe === undefined && (() => {${axeText}\n})()`);
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) };
  const { violations } = await page.evaluate<AxeResult>(`axe.run(document, ${JSON.stringify(options)})`);
  const found = violations.map(({ id, nodes }) => `${name}: ${id}: ${nodes[0]?.html ?? ''}`);
  expect.soft(found).toEqual([]);
}

/** As a person sees it first, and all of a page that is longer than the window. */
export async function shootWhole(page: Page, name: string): Promise<void> {
  await shoot(page, name);
  const size = page.viewportSize();
  const hidden = await page.locator('#main').evaluate((main) => main.scrollHeight - main.clientHeight);
  if (process.env['RUNNER_SCREENSHOTS'] === undefined || size === null || hidden < 20) return;
  await page.setViewportSize({ ...size, height: size.height + hidden });
  await shoot(page, `${name}-whole`);
  await page.setViewportSize(size);
}

/** For people to look at: RUNNER_SCREENSHOTS=<folder> keeps what the tests saw. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['RUNNER_SCREENSHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
