/** Collects what an exported page shows of one run, in bounded size and without secrets, and says what it left out. Reads only. */
import { iterationReader } from '../adapters/project/iteration-reader.ts';
import type { Layout } from '../adapters/files/layout.ts';
import { RunnerError } from '../core/errors.ts';
import { exportHeadBytesMax, exportTailBytesMax, renderExportText } from '../core/views/export-text.ts';
import { isIterationFile } from '../core/views/iteration-files.ts';
import type { IterationFileName } from '../core/views/iteration-files.ts';
import { redactedWord } from '../core/text/redact.ts';
import { parseTree } from '../core/tree/tree-schema.ts';
import type { TreeNode } from '../core/types.ts';
import type {
  ConfigAnswer,
  ExportedData,
  ExportedFile,
  ExportedIteration,
  StatusAnswer,
} from '../core/views/web-api.ts';
import type { IterationPlace } from '../ports/iteration-reader.ts';
import { openLog, readIteration, readMemory, readRunState, readTree } from './project-reader.ts';
import { runsReader } from './runs-reader.ts';
import type { UiSource } from './source.ts';

/** All texts together; the newest iterations get theirs first. */
const textBytesMax = 24 * 1024 * 1024;
/** Half of a JSON file is of no use to anybody: whole or not at all. */
const jsonBytesMax = 1024 * 1024;

export interface ExportRequest {
  readonly place: Layout;
  readonly source: UiSource;
  readonly run_id: string | null;
  readonly isCurrent: boolean;
  readonly exported_at: string;
  readonly runner_version: string;
  readonly redact: (text: string) => string;
}

export async function collectExport(request: ExportRequest): Promise<ExportedData> {
  const { place, source, run_id, isCurrent, exported_at, runner_version } = request;
  const cuts: string[] = [`Text that looks like a secret was replaced by ${redactedWord}.`];
  const runs =
    run_id === null ? { runs: [] } : await runsReader().read(place, { open: null, live: new Set() }, run_id);
  const iterations = run_id === null ? {} : await collectIterations(request, run_id, cuts);
  if (!isCurrent && run_id !== null)
    cuts.push('This is not the current run: its tree is the one after its last iteration.');

  return {
    version: 1,
    exported_at,
    runner_version,
    run_id,
    tree: isCurrent ? orNull(() => readTree(place)) : await lastTree(place, run_id),
    run_state: isCurrent ? orNull(() => readRunState(place)) : null,
    status: isCurrent ? await orNullLater(source.status(place.projectDir) as Promise<StatusAnswer>) : null,
    runs,
    iterations,
    config: await orNullLater(source.config(place.projectDir) as Promise<ConfigAnswer>),
    memory: readMemory(place),
    project: isCurrent ? await orNullLater(source.project(place.projectDir)) : null,
    cuts,
  };
}

/** The page leaves out what cannot be read; the commands report the reason. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof RunnerError) return null;
    throw error;
  }
}

async function orNullLater<T>(value: Promise<T>): Promise<T | null> {
  return value.catch((error: unknown) => {
    if (error instanceof RunnerError) return null;
    throw error;
  });
}

async function lastTree(place: Layout, run_id: string | null): Promise<TreeNode | null> {
  if (run_id === null) return null;
  const reader = iterationReader(place);
  for (const iter of (await reader.listIterations(run_id)).toReversed()) {
    const source = await reader.read({ run_id, iter, name: 'tree.after.json' }, jsonBytesMax);
    const parsed = parseTree(source);
    if (parsed.ok) return parsed.tree;
  }
  return null;
}

async function collectIterations(
  { place, redact }: ExportRequest,
  run_id: string,
  cuts: string[],
): Promise<Readonly<Record<string, ExportedIteration>>> {
  const budget = { bytes: textBytesMax };
  const found: [string, ExportedIteration][] = [];
  let shortened = 0;
  let left = 0;
  for (const iter of (await iterationReader(place).listIterations(run_id)).toReversed()) {
    const read = await readIteration(place, { run_id, iter });
    const texts: Partial<Record<IterationFileName, ExportedFile>> = {};
    for (const name of read.files.map((file) => file.name).filter(isIterationFile)) {
      const file = await readEnds(place, { run_id, iter, name }, budget);
      if (file === null) {
        left += 1;
      } else {
        texts[name] = renderExportText(file, redact);
        if (file.tail !== null) shortened += 1;
      }
    }
    found.unshift([`${run_id}/${iter}`, { ...read, is_running: false, texts }]);
  }
  if (shortened > 0)
    cuts.push(`${shortened} long files are shown without their middle; the file says how much is missing.`);

  if (left > 0) cuts.push(`${left} files were left out for their size: large JSON, and oldest logs first.`);
  return Object.fromEntries(found);
}

/** Null: left out. */
async function readEnds(
  place: Layout,
  log: IterationPlace & { readonly name: IterationFileName },
  budget: { bytes: number },
): Promise<Parameters<typeof renderExportText>[0] | null> {
  const opened = await openLog(place, log);
  if (opened === null) return null;
  const { handle, bytes } = opened;
  try {
    const isJson = log.name.endsWith('.json');
    const isWhole = bytes <= (isJson ? jsonBytesMax : exportHeadBytesMax + exportTailBytesMax);
    const shown = isWhole ? bytes : exportHeadBytesMax + exportTailBytesMax;
    if ((isJson && !isWhole) || shown > budget.bytes) return null;
    budget.bytes -= shown;
    const part = async (start: number, length: number): Promise<string> => {
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await handle.read(buffer, 0, length, start);
      return buffer.toString('utf8', 0, bytesRead);
    };
    if (isWhole) return { bytes, head: await part(0, bytes), tail: null, bytesBetween: 0 };
    const tailStart = bytes - exportTailBytesMax;
    return {
      bytes,
      head: await part(0, exportHeadBytesMax),
      tail: await part(tailStart, exportTailBytesMax),
      bytesBetween: tailStart - exportHeadBytesMax,
    };
  } finally {
    await handle.close();
  }
}
