/**
 * Builds the `config.toml` of a trial: the case's settings and its agent on top of what `init` wrote. Decides which settings of
 * the case's agent still apply when another agent works; reads and writes no file.
 */
import { applySetting } from '../../core/config/config-edit.ts';
import type { SettingValue } from '../../core/config/config-edit.ts';
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
  given: { readonly script: PlayedScript; readonly envNames: readonly string[] },
): Table {
  const { agent } = evalCase;
  const own = Array.isArray(agent['env']) ? agent['env'].map(String) : [];
  const env = [...new Set([...own, ...given.envNames])].toSorted();
  const shared = Object.fromEntries(Object.entries(agent).filter(([key]) => sharedKeys.includes(key)));
  if (given.script !== null) return { ...shared, name: 'scripted', script: given.script, env };
  const ownName = agent['name'] ?? agentDefault;
  const name = variant.agent ?? ownName;
  const model = variant.model === null ? {} : { model: variant.model };
  return { ...(name === ownName ? agent : shared), name, ...model, env };
}

/** The text `init` wrote with every setting of the case in its place; what the case does not name stays as `init` found it. */
export function renderTrialConfig(template: string, config: Table, agent: Table): string {
  return settingsOf({ ...config, agent }).reduce(
    (text, { key, value }) => applySetting(text, key, value),
    template,
  );
}

interface Setting {
  readonly key: string;
  readonly value: SettingValue;
}

function settingsOf(table: Table, prefix = ''): readonly Setting[] {
  return Object.entries(table).flatMap(([name, value]) =>
    isTable(value)
      ? settingsOf(value, `${prefix}${name}.`)
      : // The rules of config.toml know texts, numbers, truth values and lists of texts; the case was checked by them.
        [{ key: `${prefix}${name}`, value: value as SettingValue }],
  );
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
