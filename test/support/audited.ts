/**
 * Audits every run of a test's repository when the test is over, for `RUNNER_AUDIT_LOG=<file>`: one line for each run. So any test of
 * the suite can serve as an honest history.
 */
import { appendFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { runProgram } from './spawner.ts';

export interface AuditPlace {
  readonly dir: string;
  readonly top: string;
  readonly env: Readonly<Record<string, string>>;
  readonly entry: string;
}

export function auditWhenOver(place: AuditPlace): void {
  const file = process.env['RUNNER_AUDIT_LOG'];
  if (file === undefined) return;
  const { currentTestName, testPath } = expect.getState();
  onTestFinished(async () => {
    for (const run of await listRuns(place)) {
      const args = [place.entry, 'audit', run, '--json'];
      const ran = await runProgram({ program: process.execPath, args, cwd: place.dir, env: place.env });
      const line = { test: `${testPath ?? ''} ${currentTestName ?? ''}`, run, code: ran.code };
      appendFileSync(file, `${JSON.stringify({ ...line, out: ran.stdout, err: ran.stderr })}\n`);
    }
  });
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
