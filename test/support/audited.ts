/**
 * `npm run test:proof` audits every run of a test's repository when the test is over, with both verifiers (§15). So any test of the suite
 * serves as an honest history.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { runProgram } from './spawner.ts';

export interface AuditPlace {
  readonly dir: string;
  readonly top: string;
  readonly env: Readonly<Record<string, string>>;
  readonly entry: string;
}

const verifier = fileURLToPath(new URL('../../tools/verify/verify.py', import.meta.url));

const timeoutMs = 600_000;

interface Said {
  readonly verdict: string;
  readonly first?: { readonly kind: string; readonly rule: string } | null;
}

export function auditWhenOver(place: AuditPlace): void {
  if (process.env['RUNNER_PROOF_ALL'] === undefined) return;
  onTestFinished(async () => {
    for (const run of await listRuns(place)) {
      const ours = await say(place, [process.execPath, place.entry, 'audit', run, '--json'], place.env);
      const theirs = await say(place, ['python3', verifier, place.top, '--run', run, ...prefixOf(place)]);
      const name = `run ${run}: ${ours}`;
      const { verdict, first = null } = JSON.parse(ours) as Said;
      for (const line of theirs.split('\n')) expect(JSON.parse(line), name).toMatchObject({ verdict });
      // Some tests begin with a tree that no run could have made, or have a person change what has passed.
      if (first?.rule !== 'start' && first?.kind !== 'plain') expect(verdict, name).toBe('proven');
    }
  }, timeoutMs);
}

function prefixOf({ dir, top }: AuditPlace): readonly string[] {
  const prefix = relative(top, dir);
  return prefix === '' ? [] : ['--prefix', `${prefix}/`];
}

async function say(
  { dir }: AuditPlace,
  [program = '', ...args]: readonly string[],
  env = process.env as AuditPlace['env'],
): Promise<string> {
  const { stdout, stderr } = await runProgram({ program, args, cwd: dir, env });
  expect(stdout, stderr).not.toBe('');
  return stdout;
}

async function listRuns({ top, env }: AuditPlace): Promise<readonly string[]> {
  const args = ['for-each-ref', '--format=%(refname)', 'refs/heads/runner/', 'refs/runner/archive/'];
  const { code, stdout } = await runProgram({ program: 'git', args, cwd: top, env });
  if (code !== 0) return [];
  const names = stdout
    .split('\n')
    .map((ref) => ref.replace(/^refs\/(?:heads\/runner|runner\/archive)\//u, ''));
  return [...new Set(names.filter((name) => name !== ''))];
}
