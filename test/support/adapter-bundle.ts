/** The adapters as one module that a child process can import: crashes, limits and memory are only seen from outside. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

export const fixtures = path.join(root, 'test', 'support', 'fixtures');

export interface ScriptResult {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Script {
  /** JavaScript; `adapters` holds everything the named modules export, `peakBytes()` says how large the process has been. */
  readonly code: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Words before `node`, such as strace and its options. */
  readonly before?: readonly string[];
}

export interface AdapterBundle {
  /** The command that runs the script, for tests that start it themselves. */
  readonly command: (script: Script) => readonly [string, ...string[]];
  readonly run: (script: Script) => ScriptResult;
}

/** maxRSS would count the process that started this one. */
const peakBytes = `function peakBytes() {
  const status = process.getBuiltinModule('node:fs').readFileSync('/proc/self/status', 'utf8');
  return Number(/VmHWM:\\s+(\\d+) kB/.exec(status)[1]) * 1024;
}`;

/** Built once for a test file and removed after it. `modules` are names in src/adapters without ending. */
export async function bundleAdapters(modules: readonly string[]): Promise<AdapterBundle> {
  const cache = path.join(root, '.cache', 'test-adapters');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, 'bundle-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const outfile = path.join(folder, 'adapters.mjs');
  await build({
    stdin: {
      contents: modules.map((name) => `export * from './${name}.ts';`).join('\n'),
      resolveDir: path.join(root, 'src', 'adapters'),
      loader: 'ts',
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  const command: AdapterBundle['command'] = ({ code, before = [] }) => {
    const text = `import * as adapters from ${JSON.stringify(outfile)};\n${peakBytes}\n${code}`;
    const [first = process.execPath, ...rest] = before;
    const node = ['--input-type=module', '--eval', text];
    return before.length === 0 ? [first, ...node] : [first, ...rest, process.execPath, ...node];
  };
  return {
    command,
    run: (script) => {
      const [program, ...args] = command(script);
      const result = spawnSync(program, args, {
        env: { ...process.env, ...script.env },
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      });
      return {
        exitCode: result.status,
        signal: result.signal,
        stdout: result.stdout,
        stderr: result.stderr,
      };
    },
  };
}
