// The pages of `runner ui` in a real browser: from a change of a file to a change of the page, the first view of much, frames while
// somebody scrolls and zooms, a log of 100 MB.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { launchBrowser, servePages } from '../scripts/browser.mjs';
import { makeProject } from './iteration.mjs';
import { env, makeTree, median, saveJson } from './measure.mjs';

function makeMeta(iter) {
  return {
    run_id: 'bench',
    iter,
    node_id: `n${iter}`,
    node_path: `root/n${iter}`,
    mode: 'execute',
    status: ['done', 'retry', 'decomposed'][iter % 3],
    guard: ['pass', 'fail', 'skipped'][iter % 3],
    agent: { name: 'codex', version: null, model: null },
    review: null,
    started_at: new Date(1_790_000_000_000 + iter * 60_000).toISOString(),
    ended_at: new Date(1_790_000_000_000 + iter * 60_000 + 50_000).toISOString(),
    duration_ms: {
      agent: 20_000 + (iter % 40) * 1000,
      guard: 5000 + (iter % 7) * 500,
      review: 0,
      total: 60_000,
    },
    tokens: 1000 + iter,
    cost_usd: 0.01,
    totals: { node: { tokens: 1, cost_usd: 0.01 }, run: { tokens: 1, cost_usd: 0.01 } },
    failure: null,
    sessions: 1,
    waited_secs: 0,
    exit_codes: { agent: 0, guard: 0 },
    tree_sha256: { before: 'a', after: 'b' },
    commit: 'c'.repeat(40),
    changed_files: 1,
    notes: [],
    recovered: false,
  };
}

function fillProject(folder, { nodes, iterations, logBytes }) {
  saveJson(path.join(folder, '.runner/state/tree.json'), makeTree(nodes));
  for (let iter = 1; iter <= iterations; iter += 1) {
    const place = path.join(folder, `.runner/iterations/bench/${iter}`);
    mkdirSync(place, { recursive: true });
    saveJson(path.join(place, 'meta.json'), makeMeta(iter));
  }
  const line = `${'an agent prints a line of its own '.repeat(3)}\n`;
  const text = `${line.repeat(Math.floor(logBytes / line.length))}the very last line\n`;
  writeFileSync(path.join(folder, '.runner/iterations/bench/1/executor.log'), text);
}

/** In the page: since its navigation began, until what `selector` finds has been painted. */
const untilShown = ([selector, text]) =>
  new Promise((resolve) => {
    const look = () => {
      const isThere = [...document.querySelectorAll(selector)].some((one) => one.textContent.includes(text));
      if (isThere) requestAnimationFrame(() => resolve(performance.now()));
      else requestAnimationFrame(look);
    };
    look();
  });

async function measureFirst(browser, address, { hash, selector, text = '', repeats = 5 }) {
  const times = [];
  for (let round = 0; round < repeats; round += 1) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${address}${hash}`, { waitUntil: 'commit' });
    times.push(await page.evaluate(untilShown, [selector, text]));
    await context.close();
  }
  return median(times);
}

/** In the page: calls `act` once a frame, and tells how long each frame took. */
const frames = (name) =>
  new Promise((resolve) => {
    const box = document.querySelector('.virtual');
    const canvas = document.querySelector('.drawing canvas');
    const wheel = (options) =>
      canvas.dispatchEvent(
        new WheelEvent('wheel', { clientX: 500, clientY: 450, bubbles: true, cancelable: true, ...options }),
      );
    const acts = {
      scroll: (at) => (box.scrollTop = at * 150),
      pan: (at) => wheel({ deltaY: at % 40 < 20 ? 60 : -60, deltaX: at % 20 < 10 ? 30 : -30 }),
      zoom: (at) => wheel({ deltaY: at % 60 < 30 ? -40 : 40, ctrlKey: true }),
    };
    const times = [];
    let before = null;
    const step = (now) => {
      if (before !== null) times.push(now - before);
      before = now;
      if (times.length === 120) {
        resolve(times);
      } else {
        acts[name](times.length);
        requestAnimationFrame(step);
      }
    };
    requestAnimationFrame(step);
  });

function slowest(times) {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)];
}

async function measureFrames(browser, address) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const result = {};
  await page.goto(`${address}#/iterations`);
  await page.waitForSelector('.row');
  result.rows_scroll_ms = slowest(await page.evaluate(frames, 'scroll'));
  await page.goto(`${address}#/tree?view=list`);
  await page.click('button:has-text("Unfold all")');
  await page.waitForFunction(() => document.querySelector('.found')?.textContent?.startsWith('10000'));
  result.list_scroll_ms = slowest(await page.evaluate(frames, 'scroll'));
  await page.goto(`${address}#/tree`);
  await page.waitForSelector('.drawing canvas[data-scale]');
  result.drawing_pan_ms = slowest(await page.evaluate(frames, 'pan'));
  result.drawing_zoom_ms = slowest(await page.evaluate(frames, 'zoom'));
  await page.click('button:has-text("Fit")');
  result.drawing_whole_pan_ms = slowest(await page.evaluate(frames, 'pan'));
  result.drawing_whole_zoom_ms = slowest(await page.evaluate(frames, 'zoom'));
  await context.close();
  return result;
}

/** In the page: the time of day when the word was there. */
const untilWord = (word) =>
  new Promise((resolve) => {
    const look = () => {
      if (!document.querySelector('main').textContent.includes(word)) return false;
      resolve(performance.timeOrigin + performance.now());
      return true;
    };
    const observer = new MutationObserver(() => {
      if (look()) observer.disconnect();
    });
    if (!look()) observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  });

/** Half of the changes are a file that is written, half a file that is replaced. */
async function measureLatency(browser, { address, folder, changes }) {
  const page = await browser.newPage();
  const times = [];
  const memory = path.join(folder, '.runner/state/assumptions.md');
  const tree = path.join(folder, '.runner/state/tree.json');
  for (let at = 0; at < changes; at += 1) {
    const word = `change-${at}-here`;
    const isTree = at >= changes / 2;
    if (at === 0 || at === changes / 2) {
      await page.goto(`${address}#/${isTree ? 'tree?view=list' : 'memory'}`);
      await page.waitForSelector('[data-connection=live]');
    }
    const seen = page.evaluate(untilWord, word);
    await page.evaluate(() => 1);
    const startedMs = performance.timeOrigin + performance.now();
    if (isTree) {
      saveJson(`${tree}.new`, { ...makeTree(50), title: word });
      renameSync(`${tree}.new`, tree);
    } else {
      writeFileSync(memory, `# Assumptions\n\n- ${word}\n`);
    }
    times.push((await seen) - startedMs);
  }
  await page.close();
  return { median_ms: median(times), slowest_ms: Math.max(...times), changes };
}

export async function measureUi({ nodes, iterations, logBytes, changes }) {
  const browser = await launchBrowser();
  const servers = [];
  try {
    const large = makeProject('ui-large', { files: 10, leaves: 1 });
    fillProject(large, { nodes, iterations, logBytes });
    const small = makeProject('ui-small', { files: 10, leaves: 1 });
    for (const folder of [large, small]) servers.push(await servePages(folder, env));
    const [{ address }, { address: smallAddress }] = servers;
    const first = (hash, selector, text) => measureFirst(browser, address, { hash, selector, text });
    return {
      latency: await measureLatency(browser, { address: smallAddress, folder: small, changes }),
      first_ms: {
        now: await first('#/now', '.now-card'),
        tree: await first('#/tree', '.drawing canvas[data-scale]'),
        'tree as list': await first('#/tree?view=list', '.tree-row'),
        iterations: await first('#/iterations', '.row'),
      },
      frame_ms: await measureFrames(browser, address),
      log_ms: await first('#/iteration/bench/1/log', '.log-line', 'the very last line'),
    };
  } finally {
    await browser.close();
    for (const { stop } of servers) stop();
  }
}
