/** Both verifiers over the same commits: `audit` in this process, tools/verify in one of its own for all of them. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { systemHasher } from '../../src/adapters/files/hasher.ts';
import { parseTomlText } from '../../src/adapters/files/toml-text.ts';
import { gitAdapter } from '../../src/adapters/git/git.ts';
import { auditRun } from '../../src/app/runs/audit.ts';
import type { Audit } from '../../src/app/runs/audit.ts';
import { repositoryRoot } from './project.ts';
import type { Project } from './project.ts';

export interface Verdict {
  readonly verdict: string;
  /** The first transition that does not follow, or that is not provable. */
  readonly commit: string | null;
  readonly rule: string | null;
}

export async function auditEach(
  p: Project,
  tips: readonly string[],
  run = 'test',
): Promise<readonly Verdict[]> {
  const git = gitAdapter({ projectDir: p.dir, env: p.env });
  const { prefix } = await git.locate();
  const parseToml = (text: string): unknown => {
    const parsed = parseTomlText(text);
    return parsed.ok ? parsed.value : null;
  };
  const ports = { proof: git.proof, hasher: systemHasher(), parseToml, iterations: null, prefix };
  const verdicts: Verdict[] = [];
  for (const tip of tips) {
    const audit = await auditRun(ports, { run_id: run, tip, iterationsMax: null, isEnded: false });
    verdicts.push(verdictOf(audit));
  }
  return verdicts;
}

function verdictOf({ verdict, first, unprovable }: Audit): Verdict {
  return { verdict, commit: first?.commit ?? unprovable, rule: first?.rule ?? null };
}

export const hasPython = spawnSync('python3', ['--version']).status === 0;

export const verifier = join(repositoryRoot, 'tools/verify/verify.py');

export async function verifyEach(
  p: Project,
  tips: readonly string[],
  run = 'test',
): Promise<readonly Verdict[]> {
  const batch = join(p.base, 'batch.txt');
  writeFileSync(batch, tips.map((tip) => `${tip} ${run}\n`).join(''));
  const { stdout } = await execa('python3', [verifier, p.top, '--batch', batch], { maxBuffer: 1e9 });
  return stdout.split('\n').map((line) => JSON.parse(line) as Verdict);
}
