// The pages of a project in a real browser, for programs that measure them or make pictures of them: `runner ui` on a free port, and Chromium.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const entry = fileURLToPath(new URL('../bin/runner.js', import.meta.url));

export function launchBrowser() {
  const files = [process.env.RUNNER_TEST_BROWSER, '/usr/bin/chromium', '/usr/bin/chromium-browser'];
  const executablePath = files.find((file) => file !== undefined && existsSync(file));
  if (executablePath === undefined) throw new Error('needs a browser: apt-get install -y chromium');
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** Its address, and how to stop it. */
export async function servePages(folder, env) {
  const server = spawn(process.execPath, [entry, 'ui', '--port', '0', '-C', folder], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  for await (const piece of server.stdout) {
    text += piece;
    const [, address] = /address=(\S+)/.exec(text) ?? [];
    if (address !== undefined) return { address, stop: () => server.kill('SIGTERM') };
  }
  throw new Error('runner ui did not start');
}
