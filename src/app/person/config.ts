/** `runner config`: shows settings with their origin, and changes one key of config.toml (§9). Decides nothing about values. */
import { configCommitMessage } from '../../core/iteration/commit-message.ts';
import { assert, RunnerError } from '../../core/errors.ts';
import { parseLayeredConfig } from '../../core/config/config-file.ts';
import { checkKey, differsOnlyIn, editSetting, listSettings } from '../../core/config/setting-list.ts';
import type { Setting } from '../../core/config/setting-list.ts';
import type { ConfigFile, ConfigStore } from '../../ports/stores.ts';
import { findRun, requireCleanFile, saveAndCommit } from './commit.ts';
import type { PersonPorts } from './commit.ts';

const path = 'state/config.toml';

export interface ReadPorts {
  readonly configs: ConfigStore;
  readonly configFile: ConfigFile;
}

/** Throws CONFIG_INVALID when the settings as a whole are invalid: then no value is effective. */
export async function listConfig(ports: ReadPorts): Promise<readonly Setting[]> {
  const config = await ports.configs.load();
  return listSettings(await ports.configFile.layers(), config);
}

export async function getConfig(ports: ReadPorts, key: string): Promise<Setting> {
  requireKey(key);
  const setting = (await listConfig(ports)).find((one) => one.key === key);
  assert(setting !== undefined, 'every key has a setting');
  return setting;
}

export interface ConfigChange {
  readonly key: string;
  readonly changed: boolean;
  /** Null: nothing was committed; `why` says why. */
  readonly commit: string | null;
  readonly why: 'unchanged' | 'no_repository' | 'not_on_run_branch' | null;
  /** The effective value now, also when a variable overrides the file; null when the other settings are not valid. */
  readonly now: Setting | null;
}

/** Contract: the lock is held. `typed` null takes the key out. */
export async function changeConfig(
  ports: PersonPorts & ReadPorts,
  { key, typed }: { readonly key: string; readonly typed: string | null },
): Promise<ConfigChange> {
  requireKey(key);
  await requireLayout(ports);
  const { text, file } = await ports.configFile.layers();
  const edited = editSetting(text, { key, typed });
  if (!edited.ok) throw new RunnerError({ code: 'USAGE', message: edited.message, hint: usage(key) });
  const { value, config } = await parseChanged(ports, key, edited.text);
  assert(differsOnlyIn(key, file, value), `only ${key} changes in config.toml`);
  const place = await findRun(ports);
  if (place !== null) await requireCleanFile(place, `.runner/${path}`);
  const changed = edited.text !== text;
  let commit: string | null = null;
  if (changed && place !== null) {
    const message = configCommitMessage({ key, isSet: typed !== null });
    commit = await saveAndCommit(ports, place, {
      files: { [path]: edited.text },
      message,
      sign: config.git.sign,
    });
  } else if (changed) {
    await ports.workspace.save(path, edited.text);
  }
  const why = place === null && changed ? whereNot(ports) : changed ? null : 'unchanged';
  return { key, changed, commit, why, now: await inForce(ports, key) };
}

async function parseChanged(ports: ReadPorts, key: string, text: string): ReturnType<ConfigFile['parse']> {
  try {
    return await ports.configFile.parse(text);
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
    throw new RunnerError({
      code: 'CONFIG_INVALID',
      message: `nothing was written: with this change of ${key} config.toml would not be valid`,
      details: error.details,
      hint: 'use another value, or fix the problems above first; allowed values: runner help config',
    });
  }
}

function whereNot(ports: PersonPorts): 'no_repository' | 'not_on_run_branch' {
  return ports.git === null ? 'no_repository' : 'not_on_run_branch';
}

/** A variable may be wrong although the file is right; other commands report that. */
async function inForce(ports: ReadPorts, key: string): Promise<Setting | null> {
  const layers = await ports.configFile.layers();
  const parsed = parseLayeredConfig(layers);
  return parsed.ok ? (listSettings(layers, parsed.config).find((one) => one.key === key) ?? null) : null;
}

function requireKey(key: string): void {
  const message = checkKey(key);
  if (message !== null) throw new RunnerError({ code: 'USAGE', message, hint: 'runner config list' });
}

function usage(key: string): string {
  return `runner config set ${key} <value>; what is allowed: runner help config`;
}

async function requireLayout({ workspace }: PersonPorts): Promise<void> {
  // On a branch without the layout the logs of runs may still lie there: git leaves what it ignores.
  const isMade = (await workspace.kind()) === 'folder' && (await hasFile(workspace));
  if (isMade) return;
  throw new RunnerError({
    code: 'LAYOUT_MISSING',
    message: 'there is no .runner/ here',
    hint: 'runner init',
  });
}

async function hasFile(workspace: PersonPorts['workspace']): Promise<boolean> {
  const sources = await Promise.all([path, 'state/tree.json', 'GOAL.md'].map((name) => workspace.load(name)));
  return sources.some(({ kind }) => kind !== 'missing');
}
