/**
 * Checks a run against its own history (§15): loads every commit of its line, then has the pure core derive each transition again.
 * Reads only, and nothing but git and the logs.
 */
import { checkFinish } from '../../core/proof/check-finish.ts';
import type { Proof, WrongTransition } from '../../core/proof/replay.ts';
import { replay } from '../../core/proof/replay.ts';
import { readRunState } from '../../core/proof/run-states.ts';
import { findNodeBases, isIteration, runIdOf, traceRun } from '../../core/proof/trace.ts';
import type { Trace } from '../../core/proof/trace.ts';
import type { Change, Entries, Facts, StateFiles, Transition } from '../../core/proof/transition.ts';
import type { RunState, SourceText } from '../../core/types.ts';
import type { IterationReader } from '../../ports/iteration-reader.ts';
import type { ProofHistory } from '../../ports/proof.ts';
import type { Hasher } from '../../ports/sessions.ts';

export interface AuditPorts {
  readonly proof: ProofHistory;
  readonly hasher: Pick<Hasher, 'sha256'>;
  /** Contract: a TOML text as a value; null: it is not valid. */
  readonly parseToml: (text: string) => unknown;
  /** Null: the logs are left out. */
  readonly iterations: Pick<IterationReader, 'listIterations' | 'stream'> | null;
  /** Project folder inside the work tree, `''` or ending in `/`. */
  readonly prefix: string;
}

export interface AuditRequest {
  readonly run_id: string;
  /** The run's last commit. */
  readonly tip: string;
  /** Only the newest iterations; null: all. */
  readonly iterationsMax: number | null;
  /** Whether commits that finished the run are looked for. */
  readonly isEnded: boolean;
}

export interface Audit extends Proof {
  readonly run_id: string;
  readonly tip: string;
  /** Whether the newest iterations alone were looked at. */
  readonly is_partial: boolean;
  readonly log_files: number;
}

export async function auditRun(ports: AuditPorts, request: AuditRequest): Promise<Audit> {
  const { run_id, tip, iterationsMax } = request;
  const trace = await loadTrace(ports, request);
  const loaded = await loadFacts(ports, { run_id, trace });
  const proof = replay({
    trace,
    tip,
    factsOf: (transition) => loaded.facts.get(transition.commit.id) as Facts,
    sha256: ports.hasher.sha256,
  });
  const finish = request.isEnded && proof.first === null ? await checkEnd(ports, request) : null;
  return {
    ...proof,
    verdict: finish === null ? proof.verdict : 'unproven',
    first: proof.first ?? finish,
    run_id,
    tip,
    is_partial: iterationsMax !== null && trace.isCut,
    log_files: loaded.logFiles,
  };
}

async function loadTrace({ proof }: AuditPorts, request: AuditRequest): Promise<Trace> {
  const { run_id: runId, tip, iterationsMax } = request;
  const [source = missing] = await proof.loadFiles([{ commit: tip, path: stateFile }]);
  const base = readRunState(source)?.base_commit ?? null;
  const line = await proof.listLine({ tip, base });
  const parents = line.flatMap((commit) => commit.parents[0] ?? []);
  const commits = [...new Set([...line.map(({ id }) => id), ...parents])];
  const states = await proof.loadFiles(commits.map((commit) => ({ commit, path: stateFile })));
  const runs = new Map(commits.map((commit, at) => [commit, runIdOf(states[at] ?? missing)]));
  const isShallow = await proof.isShallow();
  return traceRun({ runId, line, runAt: (commit) => runs.get(commit) ?? null, iterationsMax, isShallow });
}

const missing: SourceText = { kind: 'missing' };
const stateFile = 'state/run_state.json';
const stateFiles = ['state/tree.json', stateFile, 'state/tree.rejected.json', 'state/config.toml'] as const;

type Texts = ReadonlyMap<string, SourceText>;
type States = ReadonlyMap<string, RunState | null>;

/** The texts of the state files of many commits, by `<commit> <path>`. */
async function loadTexts(proof: ProofHistory, commits: readonly string[]): Promise<Texts> {
  const names = commits.flatMap((commit) => stateFiles.map((path) => ({ commit, path })));
  const texts = await proof.loadFiles(names);
  return new Map(names.map(({ commit, path }, at) => [`${commit} ${path}`, texts[at] ?? missing]));
}

function filesOf(texts: Texts, commit: string | null): StateFiles {
  const of = (path: string): SourceText => texts.get(`${commit} ${path}`) ?? missing;
  return { tree: of('state/tree.json'), runState: of(stateFile), rejected: of('state/tree.rejected.json') };
}

interface Loaded {
  readonly facts: ReadonlyMap<string, Facts>;
  readonly logFiles: number;
}

async function loadFacts(
  ports: AuditPorts,
  { run_id, trace }: { readonly run_id: string; readonly trace: Trace },
): Promise<Loaded> {
  const { proof, prefix } = ports;
  const { transitions } = trace;
  const places = transitions.map(placesOf);
  const commits = [...new Set(places.flatMap((place) => Object.values(place).filter((id) => id !== null)))];
  const texts = await loadTexts(proof, commits);
  const states = new Map(commits.map((id) => [id, readRunState(filesOf(texts, id).runState)]));
  const bases = findNodeBases(transitions, (commit, node) => states.get(commit)?.nodes[node] !== undefined);
  const between = await loadDifferences(ports, { transitions, bases });
  const entries = await loadEntries(ports, { commits, states });
  const logs = await loadLogs(ports, { run_id, transitions });
  const iterations = transitions.filter(isIteration).map(({ commit }) => commit.id);
  const work = await proof.listWork(iterations);
  const works = new Map(iterations.map((id, at) => [id, work[at] ?? null]));
  const split = (changes: readonly Change[]) => splitChanges(changes, prefix);
  const facts = places.map(({ commit, from, base, own }): readonly [string, Facts] => {
    const config = texts.get(`${base} state/config.toml`) ?? missing;
    const node = bases.get(commit) ?? null;
    return [
      commit,
      {
        prefix,
        before: filesOf(texts, from),
        base: filesOf(texts, base),
        after: filesOf(texts, commit),
        config: config.kind === 'text' ? ports.parseToml(config.text) : config.kind === 'missing' ? {} : null,
        inside: split(between(from, commit)).inside,
        outside: split(between(base, commit)).outside,
        sinceNode: node === null ? null : split(between(node, commit)).outside,
        touched: own === null ? [] : split(between(own, base)).outside,
        workTree: works.get(commit) ?? null,
        entries: { after: entries(commit), base: entries(base) },
        logs: logs.get(commit) ?? new Map(),
      },
    ];
  });
  return { facts: new Map(facts), logFiles: [...logs.values()].reduce((sum, files) => sum + files.size, 0) };
}

interface Places {
  readonly commit: string;
  readonly from: string | null;
  readonly base: string | null;
  readonly own: string | null;
}

function placesOf(transition: Transition): Places {
  const { commit, from } = transition;
  const base = isIteration(transition) ? (transition.baseline ?? from) : from;
  return { commit: commit.id, from, base, own: isIteration(transition) ? transition.own : null };
}

/** Paths relative to `.runner/`, and those elsewhere, by code point. */
function splitChanges(
  changes: readonly Change[],
  prefix: string,
): { readonly inside: readonly Change[]; readonly outside: readonly string[] } {
  const root = `${prefix}.runner/`;
  const inside = changes.filter(({ path }) => path.startsWith(root));
  return {
    inside: inside.map(({ path, file }) => ({ path: path.slice(root.length), file })),
    outside: changes.filter(({ path }) => !path.startsWith(root)).map(({ path }) => path),
  };
}

type Between = (from: string | null, to: string | null) => readonly Change[];

/** Every comparison that the transitions need, asked for at once. A commit without a parent adds everything. */
async function loadDifferences(
  { proof }: AuditPorts,
  request: { readonly transitions: readonly Transition[]; readonly bases: ReadonlyMap<string, string> },
): Promise<Between> {
  const pairs = request.transitions.flatMap((transition) => {
    const { commit, from, base, own } = placesOf(transition);
    const node = request.bases.get(commit) ?? null;
    const asked = [
      [from, commit],
      [base, commit],
      [node, commit],
      [own, base],
    ] as const;
    return asked.flatMap(([a, b]) => (a === null || b === null ? [] : [`${a} ${b}`]));
  });
  const unique = [...new Set(pairs)];
  const found = await proof.listChanges(
    unique.map((pair) => {
      const [from = '', to = ''] = pair.split(' ');
      return { from, to };
    }),
  );
  const changes = new Map(unique.map((pair, at) => [pair, found[at] ?? []]));
  return (from, to) => changes.get(`${from} ${to}`) ?? [];
}

/** Versions of the guard's own files. */
async function loadEntries(
  { proof }: AuditPorts,
  { commits, states }: { readonly commits: readonly string[]; readonly states: States },
): Promise<(commit: string | null) => Entries> {
  const files = [...states.values()].flatMap((state) => state?.ratchet?.files ?? []);
  const paths = [...new Set(files.map(({ path }) => path))];
  const listed = await proof.listEntries({ commits, paths });
  const entries = new Map(commits.map((commit, at) => [commit, listed[at]]));
  return (commit) => entries.get(commit ?? '') ?? new Map();
}

const logNames = ['prompt.md', 'output.json', 'guard.log'];

/** Hashes by commit and name. */
async function loadLogs(
  { iterations, hasher }: AuditPorts,
  { run_id, transitions }: { readonly run_id: string; readonly transitions: readonly Transition[] },
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const there = new Set(await iterations?.listIterations(run_id));
  const logs = new Map<string, ReadonlyMap<string, string>>();
  for (const transition of transitions) {
    if (iterations === null || transition.kind !== 'iteration' || !there.has(transition.subject.iter))
      continue;
    const { iter } = transition.subject;
    const hashes = new Map<string, string>();
    for (const name of logNames) {
      const pieces: string[] = [];
      const read = await iterations.stream({ run_id, iter, name }, async (piece) => pieces.push(piece) > 0);
      if (read.kind === 'read') hashes.set(name, hasher.sha256(pieces.join('')));
    }
    logs.set(transition.commit.id, hashes);
  }
  return logs;
}

/** A run that was finished has a commit that says so; one that was abandoned has none. */
async function checkEnd(
  { proof }: AuditPorts,
  { run_id, tip }: AuditRequest,
): Promise<WrongTransition | null> {
  const texts = await loadTexts(proof, [tip]);
  const finishes = [...(await proof.listFinishes(tip))].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  for (const commit of finishes) {
    const found = checkFinish(commit, filesOf(texts, tip), run_id);
    if (found !== null) return { commit: commit.id, kind: 'finish', iter: null, node_id: null, ...found };
  }
  return null;
}
