/**
 * Builds the `config.toml` of a trial: the case's settings and its agent on top of what `init` wrote. Decides which settings of
 * the case's agent still apply when another agent works; reads and writes no file.
 */
import { applySetting, renderSetting } from '../../core/config/config-edit.ts';
import type { SettingValue } from '../../core/config/config-edit.ts';
import { editSetting } from '../../core/config/setting-list.ts';
import { isObject } from '../../core/text/is-object.ts';
import { agentTraits } from '../../core/config/agents.ts';
import type { EvalCase, Variant } from './types.ts';

type Table = Readonly<Record<string, unknown>>;

/** Keys that apply to every agent; all others are about one program. */
const sharedKeys = ['env', 'max_failures', 'max_wait_secs', 'idle_timeout_secs'];
const agentDefault = 'codex';

/** A file that plays the agent's part: the case's own solution, a recording, or nothing at all. Null: a real agent works. */
export type PlayedScript = string | null;

/** The `agent` table of a trial. Variables named in `envNames` reach the agent too. */
export function agentTable(
  evalCase: Pick<EvalCase, 'agent'>,
  variant: Variant,
  given: {
    readonly script: PlayedScript;
    /** The oracle, where it is a program. */
    readonly command?: readonly string[];
    readonly envNames: readonly string[];
  },
): Table {
  const { agent } = evalCase;
  const own = Array.isArray(agent['env']) ? agent['env'].map(String) : [];
  const env = [...new Set([...own, ...given.envNames])].toSorted();
  const shared = Object.fromEntries(Object.entries(agent).filter(([key]) => sharedKeys.includes(key)));
  if (given.script !== null) return { ...shared, name: 'scripted', script: given.script, env };
  if (given.command !== undefined) return { ...shared, name: 'command', command: given.command, env };
  const ownName = agent['name'] ?? agentDefault;
  const name = variant.agent ?? ownName;
  const model = variant.model === null ? {} : { model: variant.model };
  const command = variant.command === undefined ? {} : { command: ['sh', '-c', variant.command] };
  return { ...(name === ownName ? agent : shared), name, ...model, ...command, env };
}

/** The runner starts a shell, and only the exit code of the shell says that there is no such agent. */
export function isShellLine({ name, command }: Table): boolean {
  return name === 'command' && Array.isArray(command) && command[0] === 'sh' && command[1] === '-c';
}

/** Trials must compare between machines, so no sandbox comes by itself; `RUNNER_SANDBOX_KIND` asks for one. */
export const trialSandbox = { kind: 'none' } as const;

/** Whether agent or runner make a sandbox of their own, for which they need namespaces. */
export function bringsSandbox(
  { name, permissions }: Table,
  { typed, env }: { readonly typed: TypedSettings; readonly env: Readonly<Record<string, string>> },
): boolean {
  const kind = env['RUNNER_SANDBOX_KIND'] ?? typed['sandbox.kind'] ?? trialSandbox.kind;
  const rights = typed['agent.permissions'] ?? permissions;
  const isBound = Object.entries(agentTraits).some(
    ([known, traits]) => known === name && traits.enforcesWorkspace,
  );
  return !isWord(kind, 'none') || (isBound && !isWord(rights, 'full'));
}

/** Typed with quotes or without. */
function isWord(typed: unknown, word: string): boolean {
  return typed === word || typed === `"${word}"`;
}

/** The text `init` wrote with every setting of the case in its place; what the case does not name stays as `init` found it. */
export function renderTrialConfig(
  template: string,
  { config, agent, typed }: { readonly config: Table; readonly agent: Table; readonly typed: TypedSettings },
): string {
  const cased = settingsOf({ ...config, sandbox: trialSandbox, agent }).reduce(
    (text, { key, value }) => applySetting(text, key, value),
    template,
  );
  return Object.entries(typed).reduce((text, [key, value]) => {
    const edited = editSetting(text, { key, typed: value });
    // They were tried when the command line was read.
    return edited.ok ? edited.text : text;
  }, cased);
}

/** What was typed for a setting, by key. */
export type TypedSettings = Readonly<Record<string, string>>;

/** What a trial runs with, for its record; what the case does not set is the same for all of a version. */
export function trialSettings(
  { config }: Pick<EvalCase, 'config'>,
  agent: Table,
  typed: TypedSettings,
): Record<string, string> {
  // What plays the agent's part has a path of its own in every trial.
  const { script: _script, env: _env, ...shown } = agent;
  const own = settingsOf({ ...config, agent: shown }).map(
    ({ key, value }) => [key, renderSetting(value)] as const,
  );
  const all = new Map([
    ...own,
    ...Object.entries(typed).map(([key, text]) => [key, asSpelled(key, text)] as const),
  ]);
  return Object.fromEntries([...all].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** As config.toml spells it: `high` and `"high"` are the same text. */
function asSpelled(key: string, typed: string): string {
  const edited = editSetting('', { key, typed });
  const line = edited.ok ? edited.text.trim().split('\n').at(-1) : undefined;
  return line === undefined ? typed : line.slice(line.indexOf('=') + 1).trim();
}

interface Setting {
  readonly key: string;
  readonly value: SettingValue;
}

function settingsOf(table: Table, prefix = ''): readonly Setting[] {
  return Object.entries(table).flatMap(([name, value]) =>
    isObject(value)
      ? settingsOf(value, `${prefix}${name}.`)
      : // The rules of config.toml know texts, numbers, truth values and lists of texts; the case was checked by them.
        [{ key: `${prefix}${name}`, value: value as SettingValue }],
  );
}
