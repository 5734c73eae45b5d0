/** What an iteration left behind, read from its commit and its log; the things that must hold for every iteration are checked here. */
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { IterationMeta } from '../../src/core/agents/session.ts';
import type { LastRecord, RunState, TreeNode } from '../../src/core/types.ts';
import { findNode } from '../../src/core/tree/tree-walk.ts';
import type { Project } from './project.ts';
import { repositoryRoot } from './project.ts';

const isMeta = new Ajv2020({ strict: false }).compile(
  JSON.parse(readFileSync(join(repositoryRoot, 'schemas/meta/v1.schema.json'), 'utf8')) as object,
);

interface IterationRecord {
  readonly meta: IterationMeta;
  readonly status: string;
  readonly guard: string;
  readonly node: string;
  /** Of the node the iteration worked on, after it. */
  readonly attempts: number | undefined;
  readonly subject: string;
  /** Trailers of the commit, `Runner-` left out. */
  readonly trailers: readonly string[];
  readonly tree: TreeNode;
  readonly runState: RunState;
  readonly last: LastRecord | null;
  /** `runner_error.log` or `agent_error.log`, when there is one: name and text. */
  readonly errorLog: string;
  /** A file of the commit, relative to the project folder; null when it is not in it. */
  readonly file: (path: string) => Promise<string | null>;
}

export async function recorded(p: Project, iter: number, run = 'test'): Promise<IterationRecord> {
  const folder = join(p.dir, '.runner', 'iterations', run, String(iter));
  const meta = p.meta(iter, run) as unknown as IterationMeta;
  expect(isMeta(meta), JSON.stringify(isMeta.errors)).toBe(true);
  const prefix = join(relative(p.top, p.dir), '/').replace(/^\//u, '');
  const file = async (path: string): Promise<string | null> =>
    p.git('cat-file', 'blob', `${meta.commit}:${prefix}${path}`).catch(() => null);
  const json = async (path: string): Promise<unknown> => JSON.parse((await file(path)) ?? 'null') as unknown;
  const message = await p.git('log', '-1', '--format=%B', meta.commit);
  const [subject = '', , ...trailers] = message.trimEnd().split('\n');
  expect(subject).toBe(
    `chore(loop): run ${run} iter ${iter} node ${meta.node_id} status=${meta.status} guard=${meta.guard}`,
  );
  const tree = (await json('.runner/state/tree.json')) as TreeNode;
  const runState = (await json('.runner/state/run_state.json')) as RunState;
  expect(runState).toMatchObject({
    run_id: run,
    next_iter: iter + 1,
    last_status: meta.status,
    last_guard: meta.guard,
  });
  return {
    meta,
    status: meta.status,
    guard: meta.guard,
    node: meta.node_id,
    attempts: findNode(tree, meta.node_id)?.attempts,
    subject,
    trailers: trailers.map((line) => line.replace(/^Runner-/u, '')),
    tree,
    runState,
    last: (await json(`.runner/nodes/${meta.node_id}/last.json`)) as LastRecord | null,
    errorLog: ['runner_error.log', 'agent_error.log']
      .filter((name) => existsSync(join(folder, name)))
      .map((name) => `${name}: ${p.log(iter, name, run)}`)
      .join(''),
    file,
  };
}
