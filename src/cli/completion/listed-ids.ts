/** Ids that a shell offers, loaded from files. On any error it returns none: a person is typing. */
import { join } from 'node:path';
import { layout, repositoryLayout } from '../../adapters/files/layout.ts';
import { listDir, loadText } from '../../adapters/files/files.ts';
import { parseTomlText } from '../../adapters/files/toml-text.ts';
import { treeStore } from '../../adapters/project/tree-store.ts';
import { walkTree } from '../../core/tree/tree-walk.ts';
import type { TreeNode } from '../../core/types.ts';
import { isCaseId, latestWord } from '../../eval/cases/names.ts';
import { evalPlace, shippedCases } from '../../eval/harness/place.ts';
import { evalResults } from '../../eval/harness/results.ts';
import type { Settings } from '../output/streams.ts';
import type { Candidate } from './offer.ts';

const caseBytesMax = 1024 * 1024;

const lists = {
  node: (folder: string) => listNodes(folder, () => true),
  'open-node': (folder: string) => listNodes(folder, (node) => !node.passes),
  'open-leaf': (folder: string) => listNodes(folder, (node) => !node.passes && node.children.length === 0),
  case: listCases,
  batch: listBatches,
  rescue: listRescued,
  run: listRunIds,
};

type Asking = Pick<Settings, 'env' | 'entryFile'>;

export async function listIds(
  kind: keyof typeof lists,
  place: Asking & { readonly folder: string },
): Promise<readonly Candidate[]> {
  return lists[kind](place.folder, place).catch(() => []);
}

async function listNodes(
  folder: string,
  isOffered: (node: TreeNode) => boolean,
): Promise<readonly Candidate[]> {
  const tree = await treeStore(layout(folder)).load();
  return walkTree(tree)
    .filter(({ node }) => isOffered(node))
    .map(({ node }) => ({ word: node.id, means: node.title }));
}

async function listBatches(folder: string): Promise<readonly Candidate[]> {
  const batches = await evalResults(evalPlace({ root: folder, cases: null })).listBatches();
  const newest = batches.at(-1);
  return [
    ...(newest === undefined ? [] : [{ word: latestWord, means: newest.batch_id }]),
    ...batches.map(({ batch_id, created_at }) => ({ word: batch_id, means: created_at })),
  ];
}

/** Loaded when it is asked for: the others need no git. */
async function listRescued(folder: string, { env }: Asking): Promise<readonly Candidate[]> {
  const { gitAdapter } = await import('../../adapters/git/git.ts');
  const entries = await gitAdapter({ projectDir: folder, env }).listRescues();
  return entries.map(({ ref, subject }) => ({
    word: ref.replace(/^refs\/runner\/rescue\//, ''),
    means: subject,
  }));
}

/** Open and complete runs: those that a person goes on with. */
async function listRunIds(folder: string, { env }: Asking): Promise<readonly Candidate[]> {
  const { gitAdapter } = await import('../../adapters/git/git.ts');
  const { runRecords } = await import('../../adapters/runs/records.ts');
  const { loadRuns } = await import('../../app/runs/list.ts');
  const { isUnended } = await import('../../core/runs/run-list.ts');
  const git = gitAdapter({ projectDir: folder, env });
  const { common_dir } = await git.locate();
  const runs = await loadRuns({ git, records: runRecords(repositoryLayout(common_dir)) });
  return runs.filter(({ row }) => isUnended(row)).map(({ row }) => ({ word: row.run_id, means: row.title }));
}

/** Only the case files are read: fixtures may be large. */
async function listCases(folder: string, { entryFile }: Asking): Promise<readonly Candidate[]> {
  const { casesDir } = evalPlace({ root: folder, cases: await shippedCases(folder, entryFile) });
  const files = await listDir(casesDir);
  const cases = await Promise.all(
    files
      .filter(({ name, kind }) => name.endsWith('.toml') && kind !== 'folder')
      .map(({ name }) => readCase(join(casesDir, name)).catch(() => [])),
  );
  return cases.flat();
}

async function readCase(file: string): Promise<readonly Candidate[]> {
  const source = await loadText(file, { bytesMax: caseBytesMax });
  const parsed = source.kind === 'text' ? parseTomlText(source.text) : null;
  if (parsed?.ok !== true) return [];
  const { case: table } = parsed.value as Readonly<
    Record<string, Readonly<Record<string, unknown>> | undefined>
  >;
  const { id, description } = table ?? {};
  if (typeof id !== 'string' || !isCaseId(id)) return [];
  return [{ word: id, means: typeof description === 'string' ? description : '' }];
}
