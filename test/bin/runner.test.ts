/** The start file on its own: what it says when Node is too old or nothing was built, and what it starts otherwise. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'runner-bin-'));
  cpSync(path.join(root, 'bin'), path.join(folder, 'bin'), { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function runBin(nodeVersion: string): { readonly status: number | null; readonly output: string } {
  const fake = `Object.defineProperty(process, 'versions', { value: { node: '${nodeVersion}' } })`;
  const preload = `data:text/javascript,${encodeURIComponent(fake)}`;
  const args = ['--import', preload, path.join(folder, 'bin/runner.js')];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

function writeBundle(): void {
  mkdirSync(path.join(folder, 'dist'));
  const text = "export async function main() { console.log('started'); process.exitCode = 3; }";
  writeFileSync(path.join(folder, 'dist/main.js'), text);
}

test.each(['18.20.4', '20.18.3'])('Node %s is refused in one line', (version) => {
  writeBundle();
  const { status, output } = runBin(version);
  expect(status).toBe(1);
  expect(output).toMatch(/^runner needs Node 20\.19 or newer; this is \d+\.\d+\.\d+\..*\n$/);
});

test.each(['20.19.0', '22.0.0'])('Node %s starts the bundle, which sets the exit code', (version) => {
  writeBundle();
  expect(runBin(version)).toEqual({ status: 3, output: 'started\n' });
});

test('a checkout that was not built names the command', () => {
  const { status, output } = runBin('20.19.0');
  expect(status).toBe(1);
  expect(output).toBe('runner is not built: dist/main.js is missing. Build it with: npm run build\n');
});
