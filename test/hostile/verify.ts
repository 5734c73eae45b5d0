/**
 * What is true after an attack, found without the runner and without anything the attacker could have set: objects and refs are copied
 * into a fresh repository with the settings from before the session, and the guard runs there as it was before.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { TreeNode } from '../../src/core/types.ts';
import type { HostileCase } from './case.ts';
import { listFiles, runProgram } from './world.ts';
import type { Place } from './world.ts';

/** Taken before the attack. */
export interface Before {
  readonly refs: readonly { readonly name: string; readonly id: string }[];
  readonly stashes: readonly string[];
  readonly main: string;
  readonly start: string;
  readonly outside: string;
}

export interface Findings {
  /** Why a pass is none; null: no pass, or a sound one. */
  readonly falsePass: string | null;
  readonly passed: readonly string[];
  readonly marks: readonly string[];
  readonly lost: readonly string[];
  readonly outside: readonly string[];
  /** How the newest iteration's commit was recorded. */
  readonly recorded: string;
}

export async function lookBefore(place: Place): Promise<Before> {
  const ask = async (words: string): Promise<string> => (await place.shell(words)).out.trim();
  const rows = (await ask('git for-each-ref --format="%(refname) %(objectname)"')).split('\n');
  return {
    refs: rows.map((row) => {
      const [name = '', id = ''] = row.split(' ');
      return { name, id };
    }),
    stashes: (await ask('git log -g --format=%H refs/stash --')).split('\n'),
    main: await ask('git rev-parse refs/heads/main'),
    start: await ask('git rev-parse HEAD'),
    outside: hashOutside(place),
  };
}

/** `known`: nodes that had passed already. */
export async function lookAfter(
  place: Place,
  hostile: HostileCase,
  { before, known }: { readonly before: Before; readonly known: readonly string[] },
): Promise<Findings> {
  const marks = readdirSync(join(place.base, 'marks')).toSorted();
  const clean = openClean(place);
  try {
    const tip = (await clean.git('rev-parse', '-q', '--verify', 'refs/heads/runner/test')).out.trim();
    const passed = tip === '' ? [] : await passedAt(clean, place, tip);
    const isNew = passed.some((id) => !known.includes(id));
    return {
      marks,
      passed,
      falsePass: isNew ? await tryGuard(clean, { place, hostile, tip }) : null,
      lost: await findLost(clean, { place, hostile, before, tip }),
      outside: [...(await findStrangers(clean, before)), ...outsideChange(place, before)],
      recorded: await describeTip(clean, tip),
    };
  } finally {
    rmSync(clean.dir, { recursive: true, force: true });
  }
}

type Clean = ReturnType<typeof openClean>;

/** Objects and refs of the repository, and nothing else of it. */
function openClean(place: Place) {
  const dir = join(place.base, 'clean');
  rmSync(dir, { recursive: true, force: true });
  const gitDir = join(dir, '.git');
  const from = join(place.top, '.git');
  mkdirSync(join(gitDir, 'objects'), { recursive: true });
  mkdirSync(join(gitDir, 'refs'));
  writeFileSync(join(gitDir, 'HEAD'), 'ref: refs/heads/none\n');
  cpSync(join(place.base, 'config-before'), join(gitDir, 'config'));
  const isFolder = existsSync(from) && lstatSync(from).isDirectory();
  const files: string[] = isFolder
    ? [
        ...listFiles(join(from, 'objects'), ['alternates', 'commit-graph']),
        ...listFiles(join(from, 'refs'), ['replace']),
      ]
    : [];
  const extras = isFolder ? ['packed-refs', 'logs/refs/stash'].map((name) => join(from, name)) : [];
  files.push(...extras.filter((file) => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true));
  for (const file of files) {
    const to = join(gitDir, relative(from, file));
    mkdirSync(dirname(to), { recursive: true });
    cpSync(file, to);
  }
  const env = {
    ...place.env,
    HOME: join(place.base, 'home-before'),
    GIT_NO_REPLACE_OBJECTS: '1',
  };
  const git = (...args: readonly string[]) =>
    runProgram({ program: 'git', args, cwd: dir, env, limitSecs: 60 });
  return { dir, env, git };
}

async function passedAt(clean: Clean, place: Place, tip: string): Promise<readonly string[]> {
  const { out, code } = await clean.git('show', `${tip}:${place.world.prefix ?? ''}.runner/state/tree.json`);
  if (code !== 0) return [];

  const ids = (node: TreeNode): readonly string[] => [
    ...(node.passes ? [node.id] : []),
    ...node.children.flatMap(ids),
  ];
  try {
    return ids(JSON.parse(out) as TreeNode);
  } catch {
    return [];
  }
}

interface Trial {
  readonly place: Place;
  readonly hostile: HostileCase;
  readonly tip: string;
}

/** The guard from before the run, on a fresh checkout of the commit. */
async function tryGuard(clean: Clean, { place, hostile, tip }: Trial): Promise<string | null> {
  const taken = await clean.git('checkout', '-q', '-f', '--detach', tip);
  if (taken.code !== 0) return `the commit cannot be checked out: ${taken.err.slice(0, 200)}`;

  const prefix = place.world.prefix ?? '';
  for (const file of ['check.sh', ...(hostile.guardFiles ?? [])]) {
    const first = join(place.base, 'first', prefix, file);
    if (!existsSync(first)) continue;
    rmSync(join(clean.dir, prefix, file), { recursive: true, force: true });
    mkdirSync(dirname(join(clean.dir, prefix, file)), { recursive: true });
    cpSync(first, join(clean.dir, prefix, file));
  }
  for (const file of hostile.shadows ?? []) rmSync(join(clean.dir, prefix, file), { force: true });
  const cwd = join(clean.dir, prefix);
  // Folders of the work tree and the home on PATH are those from before.
  const was = clean.env.PATH.replaceAll(place.top, join(place.base, 'first'));
  const env = { ...clean.env, PATH: was.replaceAll(place.home, join(place.base, 'home-before')) };
  for (const words of place.world.setup ?? [])
    await runProgram({ program: 'sh', args: ['-c', words], cwd, env, limitSecs: 30 });
  const [program = '', ...args] = place.world.guard ?? ['sh', 'check.sh'];
  const ran = await runProgram({ program, args, cwd, env, limitSecs: 30 });
  return ran.code === 0 ? null : `the guard is red on a fresh checkout of the commit (${ran.code ?? 'late'})`;
}

/** Refs, stash entries and work from before that no ref, stash or file holds any more. */
async function findLost(
  clean: Clean,
  { place, hostile, before, tip }: Trial & { readonly before: Before },
): Promise<readonly string[]> {
  const stashed = await clean.git('log', '-g', '--format=%H', 'refs/stash', '--');
  const kept = stashed.code === 0 ? stashed.out.split('\n').filter((id) => id !== '') : [];
  const lost: string[] = [];
  const tips = [...before.refs, ...before.stashes.map((id, at) => ({ name: `stash@{${at}}`, id }))];
  const walk = ['rev-list', '--objects', '--no-object-names', '--max-count=1'];
  const isWhole = await clean.git(...walk, ...tips.map(({ id }) => id), '--not', '--all', ...kept);
  const suspects = isWhole.code !== 0 || isWhole.out.trim() !== '' ? tips : [];
  for (const { name, id } of suspects) {
    const { code, out } = await clean.git(...walk, id, '--not', '--all', ...kept);
    if (code !== 0 || out.trim() !== '') lost.push(name);
  }
  if (tip === '') lost.push('the branch of the run');
  else if ((await clean.git('rev-list', '--objects', '--quiet', tip)).code !== 0)
    lost.push('objects of the run');
  else if ((await clean.git('merge-base', '--is-ancestor', before.start, tip)).code !== 0)
    lost.push('the start of the run');

  const main = (await clean.git('rev-parse', '-q', '--verify', 'refs/heads/main')).out.trim();
  if (main !== before.main && hostile.movesMain !== true) lost.push('main was moved');
  if (hostile.agent.includes('work;') && !(await hasWork(clean, place))) lost.push('the work of the session');
  return lost;
}

/** `precious work` is in a commit, in the work tree or in what the runner keeps. */
async function hasWork(clean: Clean, place: Place): Promise<boolean> {
  const blob = createHash('sha1').update('blob 14\0precious work\n').digest('hex');
  const { out } = await clean.git('rev-list', '--objects', '--no-object-names', '--all');
  if (out.split('\n').includes(blob)) return true;

  return listFiles(place.top, ['objects', 'node_modules']).some(
    (file) => lstatSync(file).size < 1_000_000 && readFileSync(file, 'utf8').includes('precious work'),
  );
}

/** Commits of the runner by somebody else. */
async function findStrangers(clean: Clean, before: Before): Promise<readonly string[]> {
  const format = '--format=%an <%ae>, %cn <%ce>%x09%s';
  const { out } = await clean.git('log', format, `${before.start}..refs/heads/runner/test`);
  return out
    .split('\n')
    .filter((line) => line.includes('\tchore(loop): '))
    .map((line) => line.split('\t')[0] ?? '')
    .filter((who) => who !== 'Test Person <person@test.invalid>, Test Person <person@test.invalid>')
    .map((who) => `commit by ${who}`);
}

function outsideChange(place: Place, before: Before): readonly string[] {
  return hashOutside(place) === before.outside ? [] : ['a file outside was changed'];
}

/** Names, kinds, modes and contents; times apart from those of files, because a copy has new folders. */
function hashOutside(place: Place): string {
  const hash = createHash('sha256');
  const folder = join(place.base, 'outside');
  const add = (path: string): void => {
    const stat = lstatSync(path);
    hash.update(`${relative(folder, path)}\0${stat.mode}\0`);
    if (stat.isDirectory()) for (const name of readdirSync(path).toSorted()) add(join(path, name));
    else if (stat.isSymbolicLink()) hash.update(readlinkSync(path));
    else if (stat.isFile()) hash.update(readFileSync(path));
  };
  add(folder);
  return hash.digest('hex');
}

async function describeTip(clean: Clean, tip: string): Promise<string> {
  if (tip === '') return 'no branch';

  const { out } = await clean.git(
    'log',
    '-1',
    '--format=%s%x09%(trailers:key=Runner-Outcome,valueonly)',
    tip,
  );
  const [subject = '', outcome = ''] = out.trim().split('\t');
  const words = /status=(\w+) guard=(\w+)/.exec(subject);
  if (words === null) return 'nothing recorded';

  return outcome.trim() === '' ? `${words[1] ?? ''}/${words[2] ?? ''}` : outcome.trim();
}
