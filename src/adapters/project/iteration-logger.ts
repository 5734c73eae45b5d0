/**
 * `.runner/iterations/<run>/<n>/` (§8): append-only, except that a folder of the same number steps aside as `<n>.old-<k>`.
 * meta.json comes last and marks the iteration complete.
 */
import { renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { renderJson } from '../../core/tree/canonical-json.ts';
import { assert } from '../../core/errors.ts';
import { treeBytesMax } from '../../core/limits.ts';
import type { AgentIdentity, IterationMeta } from '../../core/agents/session.ts';
import { redactDeep } from '../../core/text/redact.ts';
import type { Spent } from '../../core/agents/usage.ts';
import type { IterationLogger } from '../../ports/stores.ts';
import { diskError } from '../files/disk-error.ts';
import { composeLog } from '../files/log-cut.ts';
import { ensureDir, listDir, makeFolders, saveFile } from '../files/files.ts';
import { syncFolder } from '../files/folders.ts';
import type { IterationLayout, Layout } from '../files/layout.ts';
import { lookAt } from '../files/look-at.ts';
import { saveLocalIgnore } from './local-ignore.ts';
import { thinTrees } from './log-trees.ts';
import { syncFiles, syncFolders } from '../files/sync-files.ts';
import type { Synced } from '../files/sync-files.ts';

/** Files that are the agent's work or made of redacted texts. */
const keptAsIs = /^(?:tree\.|(?:review\.)?prompt\.)/;

/** `redact`: takes the secrets out of a text. */
export function iterationLogger(place: Layout, redact: (text: string) => string): IterationLogger {
  const below = { root: place.iterationsRoot };
  // Until meta.json says that the iteration is complete, the journal has all that cannot be made again.
  const passing = { ...below, isDurable: false };
  let open: IterationLayout | null = null;
  /** Folders that got a new folder, and files that are durable already. */
  let unsynced: readonly string[] = [];
  let synced: Synced = new Map();
  const current = (): IterationLayout => {
    assert(open !== null, 'an iteration log is written before it is opened');
    return open;
  };
  const sync = async (): Promise<void> => {
    const folders = unsynced;
    await Promise.all([syncFolders(folders), syncFiles(current().dir, synced)]);
    unsynced = unsynced.slice(folders.length);
  };
  const openLog = (request: { readonly run_id: string; readonly iter: number }): void => {
    const next = place.iteration(request);
    synced = next.dir === open?.dir ? synced : new Map();
    open = next;
    unsynced = [...unsynced, ...makeFolders(next.dir, below)];
  };
  return {
    begin: async (request) => {
      await stepAside(place.iteration(request).dir);
      openLog(request);
      await saveLocalIgnore(place.iterationsDir, place);
    },
    reopen: async (request) => openLog(request),
    save: (name, text) => saveFile(current().file(name), keptAsIs.test(name) ? text : redact(text), passing),
    keepAgentTree: async () => {
      const { dir, treeAgent } = current();
      await ensureDir(dir, below);
      await keepFile({ from: place.tree, to: treeAgent, root: place.iterationsRoot });
    },
    diffFile: () => current().diff,
    reviewPatchFile: () => current().reviewPatch,
    keepSession: async (role) => {
      const { executorLog, output, treeAgent, reviewLog, reviewOutput, reviewPatch } = current();
      const files =
        role === 'review' ? [reviewLog, reviewOutput, reviewPatch] : [executorLog, output, treeAgent];
      for (const file of files) await stepAside(file, '-');
    },
    setAside: () => stepAside(current().dir),
    sync,
    finish: async (meta) => {
      await sync();
      await saveFile(current().meta, renderJson(redactDeep(inOrder(meta), redact)), below);
      thinTrees(place, meta);
    },
  };
}

async function stepAside(dir: string, mark = '.old-'): Promise<void> {
  if (lookAt(dir) === null) return;

  const folder = dirname(dir);
  const taken = new Set((await listDir(folder)).map((entry) => entry.name));
  let k = 1;
  while (taken.has(`${basename(dir)}${mark}${k}`)) k += 1;

  try {
    renameSync(dir, `${dir}${mark}${k}`);
  } catch (cause) {
    throw diskError({ action: 'rename', path: dir, cause });
  }
  syncFolder(folder);
}

/** Byte for byte, valid or not; one far over the limit keeps head and tail. A link or folder in its place was moved aside before. */
async function keepFile({ from, to, root }: { from: string; to: string; root: string }): Promise<void> {
  const found = lookAt(from);
  try {
    rmSync(to, { recursive: true, force: true });
    if (found?.isFile() === true) {
      await composeLog({
        stdout: from,
        stderr: null,
        target: to,
        root,
        bytesMax: treeBytesMax,
        redactor: null,
        isDurable: false,
      });
    }
  } catch (cause) {
    throw diskError({ action: 'write', path: to, bytesNeeded: found?.size ?? 0, cause });
  }
}

function inOrder(meta: IterationMeta): IterationMeta {
  const { agent, duration_ms, exit_codes, tree_sha256 } = meta;
  return {
    run_id: meta.run_id,
    iter: meta.iter,
    node_id: meta.node_id,
    node_path: meta.node_path,
    title: meta.title,
    mode: meta.mode,
    status: meta.status,
    guard: meta.guard,
    outcome: meta.outcome,
    agent: identity(agent),
    review: meta.review && { agent: identity(meta.review.agent), verdict: meta.review.verdict },
    started_at: meta.started_at,
    ended_at: meta.ended_at,
    duration_ms: {
      agent: duration_ms.agent,
      guard: duration_ms.guard,
      review: duration_ms.review,
      total: duration_ms.total,
    },
    tokens: meta.tokens,
    cost_usd: meta.cost_usd,
    totals: { node: spent(meta.totals.node), run: spent(meta.totals.run) },
    failure: meta.failure,
    sessions: meta.sessions,
    waited_secs: meta.waited_secs,
    task_sha256: meta.task_sha256,
    prompt_cut: meta.prompt_cut.map(({ section, bytes }) => ({ section, bytes })),
    rings: {
      sandbox: meta.rings.sandbox,
      guard: meta.rings.guard,
      settings: meta.rings.settings,
      checkout: meta.rings.checkout,
    },
    counterfactual: meta.counterfactual,
    exit_codes: { agent: exit_codes.agent, guard: exit_codes.guard },
    tree_sha256: { before: tree_sha256.before, after: tree_sha256.after },
    commit: meta.commit,
    changed_files: meta.changed_files,
    tool_files: meta.tool_files,
    processes: meta.processes,
    notes: meta.notes,
    recovered: meta.recovered,
  };
}

function identity({ name, version, model, effort }: AgentIdentity): AgentIdentity {
  return { name, version, model, effort };
}

function spent({ tokens, cost_usd }: Spent): Spent {
  return { tokens, cost_usd };
}
