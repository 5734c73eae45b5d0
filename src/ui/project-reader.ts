/** Reads what the pages show of a project. Names come from listings of its folders, never from a request; links are not followed. */
import { closeSync, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { findIteration as findFiles, iterationReader } from '../adapters/project/iteration-reader.ts';
import type { Layout } from '../adapters/files/layout.ts';
import { lookAt, stampFile } from '../adapters/files/look-at.ts';
import { openRegular, openRegularNow } from '../adapters/files/regular-file.ts';
import { RunnerError } from '../core/errors.ts';
import { answerBytesMax, stateFileBytesMax, textFileBytesMax, treeBytesMax } from '../core/limits.ts';
import { parseRunState } from '../core/iteration/run-state-schema.ts';
import { parseStrictJson } from '../core/text/strict-json.ts';
import { parseTree } from '../core/tree/tree-schema.ts';
import type { RunState, SourceText, TreeNode } from '../core/types.ts';
import type { IterationAnswer, IterationsAnswer, MemoryAnswer, MemoryText } from '../core/views/web-api.ts';
import type { IterationPlace } from '../ports/iteration-reader.ts';

export function readTree(place: Layout): TreeNode {
  const source = readSource(place.tree, { root: place.projectDir, bytesMax: treeBytesMax });
  if (source.kind === 'missing') throw missing(place.tree, 'runner init');
  const parsed = parseTree(source);
  if (parsed.ok) return parsed.tree;
  const [first] = parsed.violations;
  const more = parsed.violations.length - 1;
  throw new RunnerError({
    code: 'TREE_INVALID',
    message: `tree.json is not a valid task tree: ${first?.path ?? ''} ${first?.message ?? ''}${more > 0 ? ` (and ${more} more)` : ''}`,
    hint: 'runner validate',
  });
}

/** A more recently written file may change again without a new time. */
const settledMs = 1000;

/** Keeps the last tree as long as its file is the same: a large one takes a while to be checked. */
export function treeReader(): { readonly read: (place: Layout) => TreeNode } {
  let kept: { readonly mark: string; readonly tree: TreeNode } | null = null;
  return {
    read: (place) => {
      const mark = `${place.tree} ${stampFile(place.tree)}`;
      if (kept?.mark === mark) return kept.tree;
      const tree = readTree(place);
      kept = isSettled(place.tree) ? { mark, tree } : null;
      return tree;
    },
  };
}

function isSettled(path: string): boolean {
  const found = lookAt(path);
  return found !== null && Date.now() - found.mtimeMs > settledMs;
}

export function readRunState(place: Layout): RunState {
  const source = readSource(place.runState, { root: place.projectDir, bytesMax: stateFileBytesMax });
  if (source.kind === 'missing') throw missing(place.runState, 'runner init');
  const parsed = source.kind === 'text' ? parseRunState(source.text) : null;
  if (parsed?.ok === true) return parsed.state;
  throw new RunnerError({
    code: 'RUN_STATE_INVALID',
    message: `run_state.json is not a valid run state: ${parsed?.problems[0] ?? 'it cannot be read'}`,
    hint: 'runner validate',
  });
}

function missing(path: string, hint: string): RunnerError {
  return new RunnerError({ code: 'LAYOUT_MISSING', message: `there is no ${path}`, hint });
}

export async function listIterations(place: Layout): Promise<IterationsAnswer> {
  const reader = iterationReader(place);
  const runs = [];
  for (const run_id of await reader.listRuns())
    runs.push({ run_id, iterations: await reader.listIterations(run_id) });

  return { runs };
}

/** The listed iteration of these names; null: there is none. */
export async function findIteration(
  place: Layout,
  names: { readonly run: string; readonly iter: string },
): Promise<IterationPlace | null> {
  const reader = iterationReader(place);
  const run_id = (await reader.listRuns()).find((run) => run === names.run);
  if (run_id === undefined) return null;
  const iter = (await reader.listIterations(run_id)).find((number) => String(number) === names.iter);
  return iter === undefined ? null : { run_id, iter };
}

export async function readIteration(
  layout: Layout,
  place: IterationPlace,
): Promise<Omit<IterationAnswer, 'is_running'>> {
  const reader = iterationReader(layout);
  const meta = await reader.loadMeta(place);
  const answer = await reader.read({ ...place, name: 'output.json' }, answerBytesMax);
  const files = (await reader.listFiles(place)).map(({ name, bytes }) => ({ name, bytes }));
  return { meta, output: answer.kind === 'text' ? parseJson(answer.text) : null, files };
}

function parseJson(text: string): unknown {
  // What an agent wrote; where it is no JSON the file itself can be looked at.
  const parsed = parseStrictJson(text);
  return parsed.ok ? parsed.value : null;
}

const memoryShownBytesMax = textFileBytesMax;

export function readMemory(place: Layout): MemoryAnswer {
  const read = (path: string): MemoryText | null => {
    const opened = openRegularNow(path, place.projectDir);
    if (opened.kind !== 'open') return null;
    try {
      const buffer = Buffer.alloc(Math.min(opened.bytes, memoryShownBytesMax));
      const length = readSync(opened.fd, buffer, 0, buffer.length, 0);
      return { text: buffer.subarray(0, length).toString('utf8'), bytes: opened.bytes };
    } finally {
      closeSync(opened.fd);
    }
  };
  const { assumptions, questions, feedback, improvements } = place.memory;
  return {
    assumptions: read(assumptions),
    questions: read(questions),
    feedback: read(feedback),
    improvements: read(improvements),
  };
}

export interface OpenedLog {
  readonly handle: FileHandle;
  readonly bytes: number;
  readonly etag: string;
}

/** Null: there is no such regular file. */
export async function openLog(
  layout: Layout,
  log: IterationPlace & { readonly name: string },
): Promise<OpenedLog | null> {
  const { files, root } = findFiles(layout, log);
  const opened = await openRegular(files.file(log.name), root);
  if (opened.kind !== 'open') return null;
  const { handle } = opened;
  const { ino, size, mtimeMs } = await handle.stat();
  return {
    handle,
    bytes: size,
    etag: `"${ino.toString(36)}-${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`,
  };
}

function readSource(
  path: string,
  { root, bytesMax }: { readonly root: string; readonly bytesMax: number },
): SourceText {
  const opened = openRegularNow(path, root);
  if (opened.kind !== 'open') return opened;
  try {
    if (opened.bytes > bytesMax) return { kind: 'too_large', bytes: opened.bytes, bytesMax };
    const buffer = Buffer.alloc(opened.bytes);
    const length = readSync(opened.fd, buffer, 0, buffer.length, 0);
    return { kind: 'text', text: buffer.subarray(0, length).toString('utf8') };
  } finally {
    closeSync(opened.fd);
  }
}
