/** The composition root of what checks the history of runs: no lock is taken, nothing is written. */
import { systemHasher } from '../../adapters/files/hasher.ts';
import { layout, repositoryLayout } from '../../adapters/files/layout.ts';
import { parseTomlText } from '../../adapters/files/toml-text.ts';
import { gitAdapter } from '../../adapters/git/git.ts';
import type { GitAdapter } from '../../adapters/git/git.ts';
import { iterationReader } from '../../adapters/project/iteration-reader.ts';
import { realFolder } from '../../adapters/project/workspace.ts';
import { auditRun } from '../../app/runs/audit.ts';
import type { Audit, AuditPorts } from '../../app/runs/audit.ts';
import type { RunFinder } from '../../app/runs/audited-run.ts';
import { RunnerError } from '../../core/errors.ts';
import type { RunEndings } from '../../ports/endings.ts';
import type { Settings } from '../output/streams.ts';

export async function openAudit({
  directory,
  env,
}: Settings): Promise<AuditPorts & RunFinder & Pick<RunEndings, 'commitOf'>> {
  const { projectDir } = layout(await realFolder(directory));
  const git = gitAdapter({ projectDir, env });
  const { prefix, common_dir } = await git.locate();
  return {
    ...auditPorts({ git, projectDir, prefix, common_dir }),
    git,
    commitOf: (ref) => git.endings.commitOf(ref),
  };
}

/** As much as `status` looks at: enough to see that the newest work follows, and quick in a run of any length. */
const newestMax = 20;

/**
 * The newest iterations of a run, without logs; null: there is no run, or its branch is not here. `known`: what was found before, which
 * holds as long as the branch is where it was.
 */
export async function auditNewest(
  settings: Settings,
  runId: string | null,
  known: Audit | null = null,
): Promise<Audit | null> {
  if (runId === null) return null;
  try {
    const ports = { ...(await openAudit(settings)), iterations: null };
    const tip = await ports.commitOf(`refs/heads/runner/${runId}`);
    if (tip === null) return null;
    if (known?.run_id === runId && known.tip === tip) return known;
    return await auditRun(ports, { run_id: runId, tip, iterationsMax: newestMax, isEnded: false });
  } catch (error) {
    if (error instanceof RunnerError) return null;
    throw error;
  }
}

export function auditPorts(place: {
  readonly git: Pick<GitAdapter, 'proof'>;
  readonly projectDir: string;
  readonly prefix: string;
  readonly common_dir: string;
}): AuditPorts {
  const { git, projectDir, prefix, common_dir } = place;
  return {
    proof: git.proof,
    hasher: systemHasher(),
    parseToml,
    iterations: iterationReader(layout(projectDir, undefined, [repositoryLayout(common_dir).logPlace])),
    prefix,
  };
}

function parseToml(text: string): unknown {
  const parsed = parseTomlText(text);
  return parsed.ok ? parsed.value : null;
}
