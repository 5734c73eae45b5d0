/**
 * Turns a task folder of Terminal-Bench or Harbor into a case: instruction, initial files, setup, tests that are laid in for the check,
 * the solution as oracle. The folder comes in as data. What the case cannot have is told.
 */
import { parse } from 'yaml';
import { caseIdPattern } from '../cases/names.ts';
import type { CaseDraft } from './case-text.ts';
import { parseDockerfile } from './dockerfile.ts';
import type { ImageCopy, ImageParts } from './dockerfile.ts';
import { logsPath, rewardScript, testsPath } from './reward-script.ts';

/** What of a folder is read; null: there is no such file. */
export interface TaskFolder {
  readonly name: string;
  /** Every file, by its path. */
  readonly files: readonly string[];
  readonly read: (path: string) => string | null;
  /** `task.toml`, parsed; null: there is none, or it is no TOML. */
  readonly toml: unknown;
}

/** Files of the task and where they go below the folder of the imported task. */
export interface TaskCopy {
  /** Folder of the task, or a file in it; '' is the task itself. */
  readonly from: string;
  readonly to: string;
  /** `to` is the folder for it. */
  readonly isInto: boolean;
}

export type ImportedTask =
  | { readonly ok: true; readonly draft: CaseDraft; readonly copies: readonly TaskCopy[] }
  | { readonly ok: false; readonly problem: string };

/** Null: it is no task folder. */
export function taskKind({ files }: Pick<TaskFolder, 'files'>): 'terminal-bench' | 'harbor' | null {
  if (files.includes('task.toml') && files.includes('instruction.md')) return 'harbor';
  return files.includes('task.yaml') ? 'terminal-bench' : null;
}

export function importTask(folder: TaskFolder): ImportedTask {
  const id = folder.name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replace(/^[_-]+/, '')
    .slice(0, 64);
  if (!caseIdPattern.test(id)) return { ok: false, problem: `'${folder.name}' cannot be the id of a case` };
  const kind = taskKind(folder);
  if (kind === null)
    return { ok: false, problem: 'there is neither task.yaml nor task.toml with instruction.md' };
  return kind === 'harbor' ? importHarbor(folder, id) : importTerminalBench(folder, id);
}

/** Where an imported task lies, beside the case file. */
export function taskPlace(id: string): string {
  return `imported/${id}`;
}

const solutionPath = '/solution';

interface Parts {
  readonly id: string;
  readonly kind: 'terminal-bench' | 'harbor';
  readonly instruction: string;
  readonly tags: readonly string[];
  readonly agentSecs: number;
  readonly checkSecs: number;
  readonly image: ImageParts;
  /** Folder of the Dockerfile: '' or `environment`. */
  readonly context: string;
  readonly tests: readonly TaskCopy[];
  readonly testScript: string;
  readonly solution: { readonly copies: readonly TaskCopy[]; readonly file: string } | null;
  readonly check: Omit<CaseDraft['check'], 'timeout_secs'>;
  readonly notes: readonly string[];
}

function importTerminalBench(folder: TaskFolder, id: string): ImportedTask {
  const task = readYaml(folder.read('task.yaml'));
  const instruction = textOf(task, 'instruction') ?? oldInstruction(task);
  if (instruction === null) return { ok: false, problem: 'task.yaml has no instruction' };
  const script = folder.read('run-tests.sh');
  if (script === null) return { ok: false, problem: 'there is no run-tests.sh' };
  const hasSolution = folder.files.includes('solution.sh');
  const hasTests = folder.files.some((path) => path.startsWith('tests/'));
  return assemble(folder, {
    id,
    kind: 'terminal-bench',
    instruction,
    tags: [...textsOf(task, 'tags'), textOf(task, 'category'), textOf(task, 'difficulty')].filter(
      (tag) => tag !== null,
    ),
    agentSecs: secondsOf(task, 'max_agent_timeout_sec', 3600),
    checkSecs: secondsOf(task, 'max_test_timeout_sec', 600),
    image: parseDockerfile(folder.read('Dockerfile') ?? ''),
    context: '',
    tests: [
      ...(hasTests ? [{ from: 'tests', to: 'tests', isInto: true }] : []),
      { from: 'run-tests.sh', to: 'tests', isInto: true },
    ],
    testScript: script,
    solution: hasSolution
      ? { copies: [{ from: 'solution.sh', to: 'solution', isInto: true }], file: 'solution.sh' }
      : null,
    check: { cmd: ['bash', `${testsPath}/run-tests.sh`], env: { TEST_DIR: testsPath } },
    notes: [
      ...serviceNotes(folder.read('docker-compose.yaml')),
      ...(folder.files.includes('solution.yaml')
        ? ['left out: solution.yaml; only solution.sh is an oracle']
        : []),
    ],
  });
}

function importHarbor(folder: TaskFolder, id: string): ImportedTask {
  const instruction = folder.read('instruction.md');
  if (instruction === null || instruction.trim() === '')
    return { ok: false, problem: 'instruction.md is empty or cannot be read' };
  if (folder.toml === null) return { ok: false, problem: 'task.toml cannot be read' };
  const script = folder.read('tests/test.sh');
  if (script === null) return { ok: false, problem: 'there is no tests/test.sh' };
  const [task, metadata, verifier, agent] = ['task', 'metadata', 'verifier', 'agent'].map((name) =>
    tableOf(folder.toml, name),
  );
  const hasSolution = folder.files.includes('solution/solve.sh');
  const words = [
    ...textsOf(task, 'keywords'),
    ...textsOf(metadata, 'tags'),
    textOf(metadata, 'category'),
    textOf(metadata, 'difficulty'),
  ];
  return assemble(folder, {
    id,
    kind: 'harbor',
    instruction,
    tags: words.filter((tag) => tag !== null),
    agentSecs: secondsOf(agent, 'timeout_sec', 3600),
    checkSecs: secondsOf(verifier, 'timeout_sec', 600),
    image: parseDockerfile(folder.read('environment/Dockerfile') ?? ''),
    context: 'environment',
    tests: [{ from: 'tests', to: 'tests', isInto: true }],
    testScript: script,
    solution: hasSolution
      ? { copies: [{ from: 'solution', to: 'solution', isInto: true }], file: 'solve.sh' }
      : null,
    check: { cmd: ['sh', '-c', rewardScript], env: plainTable(tableOf(verifier, 'env')) },
    notes: serviceNotes(folder.read('environment/docker-compose.yaml')),
  });
}

function assemble(folder: TaskFolder, parts: Parts): ImportedTask {
  const { id, image, kind, solution } = parts;
  const base = taskPlace(id);
  const inWork = image.copies.map((copy) => workCopy(copy, parts.context, folder.files));
  const missing = image.copies
    .filter((_, index) => inWork[index] === null)
    .map(({ from }) => `left out: ${from}, which is not in the folder`);
  const work = inWork.filter((copy) => copy !== null);
  const { workdir } = image;
  const hasName = parts.instruction.includes(workdir);
  const draft: CaseDraft = {
    id,
    goal: hasName
      ? `${parts.instruction.trim()}\n\nWhere this text says \`${workdir}\`, it means the root of this repository.\n`
      : `${parts.instruction.trim()}\n`,
    description: `Imported from a task folder of ${kind}.`,
    tags: [...new Set(['imported', kind, ...parts.tags.map(tagOf).filter((tag) => tag !== '')])],
    timeout_secs: parts.agentSecs,
    requires: ['bash', ...programsIn(parts.testScript)],
    fixture: work.length === 0 ? null : `${base}/work`,
    setup: image.commands,
    env: image.env,
    hiddenFixture: `${base}/tests`,
    oracle:
      solution === null
        ? null
        : { fixture: `${base}/solution`, command: ['bash', `${solutionPath}/${solution.file}`] },
    paths: {
      [workdir]: 'workspace',
      [testsPath]: 'hidden',
      [logsPath]: 'scratch',
      ...(solution === null ? {} : { [solutionPath]: 'oracle' as const }),
    },
    check: { ...parts.check, timeout_secs: parts.checkSecs },
    notes: [...image.notes, ...missing, ...parts.notes],
  };
  return { ok: true, draft, copies: [...work, ...parts.tests, ...(solution?.copies ?? [])] };
}

/** Null: the task has no such file. */
function workCopy(
  { from, to, isInto }: ImageCopy,
  context: string,
  files: readonly string[],
): TaskCopy | null {
  const source = [context, from].filter((part) => part !== '').join('/');
  const isFolder = source === '' || files.some((path) => path.startsWith(`${source}/`));
  if (!isFolder && !files.includes(source)) return null;
  const target = to === '' ? 'work' : `work/${to}`;
  return { from: source, to: target, isInto: isInto || isFolder };
}

function serviceNotes(text: string | null): readonly string[] {
  const services = Object.keys(Object(tableOf(readYaml(text), 'services')));
  return services.length > 1
    ? [`left out: the services of docker-compose.yaml (${services.join(', ')})`]
    : [];
}

const knownPrograms = [
  'python3',
  'pytest',
  'uv',
  'uvx',
  'node',
  'npm',
  'go',
  'cargo',
  'gcc',
  'make',
  'java',
  'curl',
  'apt-get',
];

/** Without them the check would fail whatever the agent did. */
function programsIn(script: string): readonly string[] {
  const lines = script.split('\n').filter((line) => !line.trim().startsWith('#'));
  const words = new Set(lines.flatMap((line) => line.split(/[\s;&|()"'`]+/)));
  return knownPrograms.filter((name) => words.has(name));
}

function tagOf(text: string): string {
  return text
    .trim()
    .replaceAll(/[^A-Za-z0-9_.+-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64);
}

function readYaml(text: string | null): unknown {
  try {
    return text === null ? null : parse(text);
  } catch {
    return null;
  }
}

/** Before there was `instruction`, a task had several descriptions. */
function oldInstruction(task: unknown): string | null {
  const all: unknown = Object(task).descriptions;
  const first: unknown = Array.isArray(all) ? all[0] : null;
  return textOf(first, 'description');
}

function tableOf(value: unknown, name: string): unknown {
  return Object(Object(value)[name]);
}

function textOf(value: unknown, name: string): string | null {
  const found: unknown = Object(value)[name];
  return typeof found === 'string' && found.trim() !== '' ? found : null;
}

function textsOf(value: unknown, name: string): readonly string[] {
  const found: unknown = Object(value)[name];
  return Array.isArray(found) ? found.filter((item) => typeof item === 'string') : [];
}

function plainTable(value: unknown): Record<string, string> {
  const entries = Object.entries(Object(value) as Record<string, unknown>);
  return Object.fromEntries(
    entries.flatMap(([name, item]) =>
      typeof item === 'string' && item !== '' ? [[name, item] as const] : [],
    ),
  );
}

const week = 604_800;

function secondsOf(value: unknown, name: string, usual: number): number {
  const found: unknown = Object(value)[name];
  return typeof found === 'number' && found > 0 ? Math.min(week, Math.ceil(found)) : usual;
}
