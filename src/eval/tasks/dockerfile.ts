/**
 * Reads a Dockerfile for what a workspace can have without the image: its folder, files, variables and the commands that made it. Whatever
 * else it says is told as a note, never dropped silently. It is no implementation of the format.
 */
import { isInsidePath, pathNames } from '../../core/text/inside-path.ts';

export interface ImageParts {
  /** The last WORKDIR, which the workspace replaces. */
  readonly workdir: string;
  /** `from` in the folder of the Dockerfile, `to` in the workspace; '' is the folder itself. */
  readonly copies: readonly ImageCopy[];
  readonly commands: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

export interface ImageCopy {
  readonly from: string;
  readonly to: string;
  /** `to` is a folder, whether it is there or not. */
  readonly isInto: boolean;
}

const workdirDefault = '/app';

/** They would change the machine, not the workspace. */
const installers =
  /\b(?:apt-get|apt|apk|yum|dnf|microdnf|pacman|brew|pip3?|pipx|conda|gem|useradd|adduser|groupadd)\b|\bnpm (?:i|install) (?:-g|--global)\b|\buv (?:pip|tool|python)\b|\|\s*(?:ba)?sh\b/;

/** They say how a container is started, which nobody does here. */
const ignored = ['CMD', 'ENTRYPOINT', 'EXPOSE', 'LABEL', 'MAINTAINER', 'HEALTHCHECK', 'STOPSIGNAL', 'SHELL'];

interface State {
  workdir: string;
  readonly copies: { readonly words: readonly string[]; readonly workdir: string; readonly text: string }[];
  readonly commands: { readonly text: string; readonly workdir: string }[];
  readonly env: Record<string, string>;
  readonly notes: string[];
}

export function parseDockerfile(text: string): ImageParts {
  const state: State = { workdir: '/', copies: [], commands: [], env: {}, notes: [] };
  let isSet = false;
  for (const line of instructions(text)) {
    const [word = ''] = line.split(/\s/, 1);
    const rest = line.slice(word.length).trim();
    isSet ||= word.toUpperCase() === 'WORKDIR';
    readInstruction(state, word.toUpperCase(), rest);
  }
  const workdir = isSet ? state.workdir : workdirDefault;
  const notes = [...state.notes];
  const copies = state.copies.flatMap((copy) =>
    copiesOf({ ...copy, workdir: isSet ? copy.workdir : workdir }, workdir, notes),
  );
  const commands = state.commands.map((command) => inFolder(command, workdir));
  return { workdir, copies, commands, env: state.env, notes };
}

/** Lines that end with a backslash go on; comments in between do not count. */
function instructions(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => !/^\s*#/.test(line) && line.trim() !== '');
  const joined: string[] = [];
  let open = '';
  for (const line of lines) {
    const isOpen = /\\\s*$/.test(line);
    open += isOpen ? `${line.replace(/\\\s*$/, '').trim()} ` : line.trim();
    if (isOpen) continue;
    joined.push(open);
    open = '';
  }
  return open === '' ? joined : [...joined, open];
}

function readInstruction(state: State, word: string, rest: string): void {
  switch (word) {
    case 'FROM':
      state.notes.push(
        `the image ${rest.split(/\s/, 1)[0]} is not used: this machine must have its programs`,
      );
      return;
    case 'WORKDIR':
      state.workdir = joinPath(state.workdir, rest);
      return;
    case 'COPY':
    case 'ADD':
      state.copies.push({ words: copyWords(rest), workdir: state.workdir, text: `${word} ${rest}` });
      return;
    case 'RUN':
      readRun(state, rest);
      return;
    case 'ENV':
      readEnv(state, rest);
      return;
    default:
      if (!ignored.includes(word)) state.notes.push(`left out: ${word} ${rest}`);
  }
}

function readRun(state: State, rest: string): void {
  const list = rest.startsWith('[') ? parseList(rest) : null;
  const text = list === null ? rest : list.join(' ');
  if (installers.test(text) || rest.startsWith('--') || rest.startsWith('<<'))
    state.notes.push(`left out: RUN ${rest}; install what the task needs yourself`);
  else state.commands.push({ text, workdir: state.workdir });
}

function readEnv(state: State, rest: string): void {
  const pairs = [...rest.matchAll(/([A-Za-z_]\w*)=("(?:[^"\\]|\\.)*"|\S*)/g)];
  if (pairs.length === 0) {
    const [, name, value] = /^([A-Za-z_]\w*)\s+(.+)$/.exec(rest) ?? [];
    if (name !== undefined && value !== undefined) setVariable(state, name, value);
  }
  for (const [, name = '', value = ''] of pairs) setVariable(state, name, value.replaceAll(/^"|"$/g, ''));
}

/** A value made of other variables means something in the image only. */
function setVariable(state: State, name: string, value: string): void {
  if (value.includes('$') || value === '') state.notes.push(`left out: ENV ${name}=${value}`);
  else state.env[name] = value;
}

function copyWords(rest: string): readonly string[] {
  const list = rest.startsWith('[') ? parseList(rest) : null;
  return list ?? rest.split(/\s+/);
}

function parseList(text: string): readonly string[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.map(String) : null;
  } catch {
    return null;
  }
}

function copiesOf(
  { words, workdir, text }: State['copies'][number],
  root: string,
  notes: string[],
): readonly ImageCopy[] {
  const flags = words.filter((word) => word.startsWith('--'));
  const paths = words.filter((word) => !word.startsWith('--'));
  const target = paths.at(-1) ?? '';
  const sources = paths.slice(0, -1);
  const to = below(joinPath(workdir, target), root);
  const isOdd = flags.some((flag) => flag.startsWith('--from'));
  const isForeign = sources.some((source) => /[*?[]|^https?:/.test(source) || !isContext(source));
  if (to === null || isOdd || isForeign || sources.length === 0) {
    notes.push(`left out: ${text}`);
    return [];
  }
  const isInto = sources.length > 1 || /(?:\/|^\.)$/.test(target) || to === '';
  return sources.map((source) => ({ from: pathNames(source).join('/'), to, isInto }));
}

/** Of the folder of the Dockerfile, which a leading `/` means too. */
function isContext(source: string): boolean {
  const relative = source.replace(/^\/+/, '');
  return pathNames(relative).length === 0 || isInsidePath(relative);
}

/** Of a folder inside the workspace the command says it by itself. */
function inFolder(
  { text, workdir }: { readonly text: string; readonly workdir: string },
  root: string,
): string {
  const folder = below(workdir, root);
  return folder === null || folder === '' ? text : `mkdir -p ${folder} && cd ${folder} && ${text}`;
}

function joinPath(base: string, path: string): string {
  const names: string[] = [];
  for (const name of pathNames(path.startsWith('/') ? path : `${base}/${path}`)) {
    if (name === '..') names.pop();
    else names.push(name);
  }
  return `/${names.join('/')}`;
}

/** Null: not below; '': the folder itself. */
function below(path: string, root: string): string | null {
  if (path === root) return '';
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : null;
}
