// Makes the two pictures of the README from a real run of `runner demo`: a page of the run as a PNG, its terminal as an SVG.
// `npm run pictures:readme`; needs the built program and Chromium. Pictures of every page and state: `npm run pictures`.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { launchBrowser, servePages } from './browser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const entry = path.join(root, 'bin/runner.js');
const folder = path.join(root, 'docs/images');
const bytesMax = 200 * 1024;
const env = { PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8' };

/** Stdout and stderr as one text, as a terminal shows them. */
async function runDemo() {
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', `exec "${process.execPath}" "${entry}" demo 2>&1`],
    {
      env: { ...env, FORCE_COLOR: '1' },
      maxBuffer: 16 * 1024 * 1024,
    },
  );
  const [, project] = /project with a failing test, in (\S+)/.exec(stdout) ?? [];
  if (project === undefined) throw new Error(`runner demo said nothing of its folder:\n${stdout}`);
  return { text: stdout, project };
}

const colours = { 31: '#f2938c', 32: '#6cc48a', 33: '#e0b063' };
const lineHeight = 18;
const columnWidth = 7.85;

/** What the loop writes for people (stderr); its lines for scripts (`loop: …`, stdout) are left out. */
function terminalLines(text) {
  const from = text.indexOf('$ runner loop');
  const to = text.indexOf('$ git log', from);
  const lines = text.slice(from, to).split('\n');
  return lines.filter((line) => !/^loop: (?:step|status)/.test(line)).filter((line) => line !== '');
}

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', "'": '&#39;', '"': '&quot;' };
const escape = (text) => text.replaceAll(/[&<>'"]/g, (char) => escapes[char]);

function plainLength(line) {
  // oxlint-disable-next-line no-control-regex -- it is what it looks for
  return line.replaceAll(/\u001b\[\d*m/g, '').length;
}

/** One line as spans; the only sequences are colours of our own. */
function renderLine(line, y) {
  let fill = '#dfe2e5';
  // oxlint-disable-next-line no-control-regex -- it is what it looks for
  const spans = line.split(/(\u001b\[\d*m)/).flatMap((part) => {
    // oxlint-disable-next-line no-control-regex -- it is what it looks for
    const code = /^\u001b\[(\d*)m$/.exec(part)?.[1];
    if (code !== undefined) {
      fill = colours[code] ?? '#dfe2e5';
      return [];
    }
    return part === '' ? [] : [`<tspan fill="${fill}">${escape(part)}</tspan>`];
  });
  return `<text x="18" y="${y}" xml:space="preserve">${spans.join('')}</text>`;
}

function renderTerminal(lines) {
  const height = 52 + lines.length * lineHeight;
  const width = 36 + Math.ceil(Math.max(...lines.map((line) => plainLength(line))) * columnWidth);
  const rows = lines.map((line, at) => renderLine(line, 52 + at * lineHeight));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="runner loop in a terminal">`,
    `<rect width="${width}" height="${height}" rx="8" fill="#17191c"/>`,
    '<g fill="#454b52"><circle cx="20" cy="18" r="5"/><circle cx="38" cy="18" r="5"/><circle cx="56" cy="18" r="5"/></g>',
    `<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">`,
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

async function shootPage(project, file) {
  const browser = await launchBrowser();
  const { address, stop } = await servePages(project, env);
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 640 }, colorScheme: 'light' });
    // The iteration in which the agent says that it is done, and the check that it is not.
    await page.goto(`${address}#/iteration/demo/2`);
    for (const text of ['URL slugs', 'Make slugify right', 'not ok', 'src/slugify.js'])
      await page.getByText(text).first().waitFor();
    await page.locator('[data-connection=live]').waitFor();
    await page.screenshot({ path: file });
  } finally {
    await browser.close();
    stop();
  }
}

mkdirSync(folder, { recursive: true });
const { text, project } = await runDemo();
const files = { page: path.join(folder, 'page.png'), terminal: path.join(folder, 'terminal.svg') };
try {
  writeFileSync(files.terminal, renderTerminal(terminalLines(text)));
  await shootPage(project, files.page);
} finally {
  rmSync(project, { recursive: true, force: true });
}
for (const file of Object.values(files)) {
  const { length } = readFileSync(file);
  if (length > bytesMax) throw new Error(`${file} has ${length} bytes, more than ${bytesMax}`);
  process.stdout.write(`${path.relative(root, file)} ${length}\n`);
}
