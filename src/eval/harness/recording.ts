/**
 * Records what each session of a trial did, so that it can be replayed without an agent. A recording replaces the previous one
 * completely or not at all.
 */
import { createHash } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { diskError } from '../../adapters/files/disk-error.ts';
import { ensureDir, loadText } from '../../adapters/files/files.ts';
import { replaceFile } from '../../adapters/files/replace-file.ts';
import type { Git } from '../../adapters/git/client.ts';
import { layout, runnerFolder } from '../../adapters/files/layout.ts';
import type { IterationLayout } from '../../adapters/files/layout.ts';
import { stageName } from '../../adapters/files/stage.ts';
import { renderJson } from '../../core/tree/canonical-json.ts';
import { RunnerError } from '../../core/errors.ts';
import { playedExit } from '../cases/recording-text.ts';
import type { RecordedIteration, Recording } from '../cases/recording-text.ts';
import { answerBytesMax, treeBytesMax } from '../../core/limits.ts';
import { ownerOf } from '../../core/iteration/ownership.ts';
import type { IterationMeta } from '../../core/agents/session.ts';

const patchBytesMax = 256 * 1024 * 1024;

export interface RecordRequest {
  /** The folder of this recording; the one above it is trusted. */
  readonly dir: string;
  readonly root: string;
  readonly workspace: string;
  readonly git: Git;
  /** The commit before the first iteration. */
  readonly base: string;
  readonly metas: readonly IterationMeta[];
  readonly head: Omit<Recording, 'version' | 'iterations'>;
}

/** Throws DISK, and LOG_MISSING when the logs of the trial are not whole. */
export async function saveRecording(request: RecordRequest): Promise<void> {
  const parent = dirname(request.dir);
  await ensureDir(parent, { root: request.root });
  const stage = join(parent, stageName());
  const old = join(parent, stageName());
  try {
    await mkdir(stage);
    await fillRecording(request, stage);
    await rename(request.dir, old).catch(() => {});
    await rename(stage, request.dir);
  } catch (cause) {
    throw diskError({ action: 'record to', path: request.dir, cause });
  } finally {
    await rm(stage, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
}

async function fillRecording(request: RecordRequest, stage: string): Promise<void> {
  const iterations: RecordedIteration[] = [];
  let from = request.base;
  for (const meta of request.metas) {
    const patch = await diffOf(request.git, { from, to: meta.commit });
    const name = `${meta.iter}.patch`;
    if (patch.length > 0) await replaceFile(join(stage, name), patch, { root: stage });
    const recorded = await recordIteration(request, meta);
    const patch_sha256 = createHash('sha256').update(patch).digest('hex');
    iterations.push(patch.length > 0 ? { ...recorded, patch: name, patch_sha256 } : recorded);
    from = meta.commit;
  }
  const { case_id, variant, repeat, recorded_at, runner_version } = request.head;
  const recording: Recording = {
    version: 1,
    case_id,
    variant,
    repeat,
    recorded_at,
    runner_version,
    iterations,
  };
  await replaceFile(join(stage, 'recording.json'), renderJson(recording), { root: stage });
}

/** All but its patch. */
async function recordIteration(
  { workspace }: RecordRequest,
  meta: IterationMeta,
): Promise<RecordedIteration> {
  const place = layout(workspace).iteration(meta);
  if (meta.task_sha256 === '') throw unreadable(place.meta, 'it has no task_sha256');
  return {
    iter: meta.iter,
    prompt_sha256: meta.task_sha256,
    answer: await loadPlainText(place.output, answerBytesMax * 16),
    exit_code: playedExit(meta),
    tree: await loadTree(place),
    patch: null,
  };
}

async function loadTree(place: IterationLayout): Promise<string | false | null> {
  const left = await loadPlainText(place.treeAgent, treeBytesMax);
  if (left === null) return false;
  return left === (await loadPlainText(place.treeBefore, treeBytesMax)) ? null : left;
}

async function loadPlainText(file: string, bytesMax: number): Promise<string | null> {
  const source = await loadText(file, { bytesMax });
  if (source.kind === 'text') return source.text;
  if (source.kind === 'missing') return null;
  throw unreadable(file, source.kind === 'unreadable' ? source.message : `it has ${source.bytes} bytes`);
}

function unreadable(file: string, why: string): RunnerError {
  return new RunnerError({
    code: 'LOG_MISSING',
    message: `the trial cannot be recorded: ${file}: ${why}`,
    hint: 'runner eval run --record',
  });
}

/** Everything the session changed, byte for byte, but for what the runner itself writes; however the user's git shows differences. */
async function diffOf(git: Git, range: { readonly from: string; readonly to: string }): Promise<Buffer> {
  const { from, to } = range;
  const named = await git.run(['diff', '--name-only', '-z', '--no-renames', from, to, '--', runnerFolder]);
  const foreign = named.stdout
    .toString('utf8')
    .split('\0')
    .filter((path) => path !== '' && ownerOf(path.slice(runnerFolder.length + 1)) !== 'agent')
    .map((path) => `:(exclude,literal)${path}`);
  const shown = ['--binary', '--full-index', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color'];
  const prefixes = ['--src-prefix=a/', '--dst-prefix=b/'];
  const answer = await git.run(['diff', ...shown, ...prefixes, from, to, '--', '.', ...foreign], {
    stdoutBytesMax: patchBytesMax,
  });
  if (!answer.cut) return answer.stdout;
  throw unreadable(to, `its changes have more than ${patchBytesMax} bytes`);
}
