/** `runner config`: shows settings with their origin, and changes one key of config.toml (§9). Decides nothing about values. */
import { assert, RunnerError } from '../../core/errors.ts';
import { parseLayeredConfig } from '../../core/config/config-file.ts';
import type { ConfigLayers } from '../../core/config/config-layers.ts';
import {
  checkKey,
  differsOnlyIn,
  editSetting,
  listSettings,
  renderTypedList,
} from '../../core/config/setting-list.ts';
import type { Setting } from '../../core/config/setting-list.ts';
import { listRemedies, renderSettingCommands } from '../../core/config/setting-remedy.ts';
import type { SettingChange } from '../../core/config/setting-remedy.ts';
import { configMessage } from '../../core/runs/person-message.ts';
import type { Refusal } from '../../core/tree/person-edit.ts';
import type { ConfigFile, ConfigStore } from '../../ports/stores.ts';
import { findRun, requireCleanFile, saveAndCommit } from './commit.ts';
import type { PersonPorts, RunPlace } from './commit.ts';

export const configPath = 'state/config.toml';

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

/** Contract: the lock is held. */
export async function changeConfig(
  ports: PersonPorts & ReadPorts,
  request: SettingChange,
): Promise<ConfigChange> {
  const { key } = request;
  requireKey(key);
  await requireLayout(ports);
  const before = await ports.configFile.layers();
  const plan = await planConfig(ports, before, request);
  if (!plan.ok) throw new RunnerError(plan);
  const place = await findRun(ports);
  if (place !== null) await requireCleanFile(place, `.runner/${configPath}`);
  const changed = plan.text !== before.text;
  const commit =
    changed && place !== null ? await saveConfig(ports, place, { plan, request, entryId: null }) : null;
  if (changed && place === null) await ports.workspace.save(configPath, plan.text);
  const why = place === null && changed ? whereNot(ports) : changed ? null : 'unchanged';
  return { key, changed, commit, why, now: await inForce(ports, key) };
}

/** A change from the queue. Contract: config.toml is as it is committed. */
export async function commitConfig(
  ports: PersonPorts & ReadPorts,
  place: RunPlace,
  { entryId, ...request }: SettingChange & { readonly entryId: string },
): Promise<{ readonly ok: true } | Refusal> {
  const before = await ports.configFile.layers();
  const plan = await planConfig(ports, before, request);
  if (!plan.ok) return plan;
  if (plan.text !== before.text) await saveConfig(ports, place, { plan, request, entryId });
  return { ok: true };
}

function saveConfig(
  ports: PersonPorts,
  place: RunPlace,
  change: {
    readonly plan: Extract<ConfigPlan, { ok: true }>;
    readonly request: SettingChange;
    readonly entryId: string | null;
  },
): Promise<string> {
  const { key, typed } = change.request;
  return saveAndCommit(ports, place, {
    files: { [configPath]: change.plan.text },
    message: configMessage({ key, isSet: typed !== null }, change.entryId),
    sign: change.plan.sign,
  });
}

/** A text of config.toml, and what TOML makes of it. */
export type ConfigText = Pick<ConfigLayers, 'text' | 'file'>;

export type ConfigPlan =
  | ({ readonly ok: true; readonly sign: boolean } & ConfigText)
  | (Refusal & { readonly details?: readonly string[] });

/** What config.toml becomes, if that is valid. */
export async function planConfig(
  { configFile }: Pick<ReadPorts, 'configFile'>,
  { text, file }: ConfigText,
  { key, typed }: SettingChange,
): Promise<ConfigPlan> {
  const message = checkKey(key);
  if (message !== null) return { ok: false, code: 'USAGE', message, hint: 'runner config list' };
  const edited = editSetting(text, { key, typed });
  if (!edited.ok) {
    const hint = (typed === null ? null : renderTypedList(key, typed)) ?? usage(key);
    return { ok: false, code: 'USAGE', message: edited.message, hint };
  }
  try {
    const { value, config } = await configFile.parse(edited.text);
    assert(differsOnlyIn(key, file, value), `only ${key} changes in config.toml`);
    return { ok: true, text: edited.text, file: value, sign: config.git.sign };
  } catch (error) {
    if (!(error instanceof RunnerError) || error.code !== 'CONFIG_INVALID') throw error;
    return {
      ok: false,
      code: 'CONFIG_INVALID',
      message: `nothing was written: with this change of ${key} config.toml would not be valid`,
      details: error.details,
      hint:
        (await findRemedy(configFile, text, { key, typed })) ??
        'use another value, or fix the problems above first; allowed values: runner help config',
    };
  }
}

/** The commands that lead to this change where other settings are in its way, each of them tried; null: they are not. */
async function findRemedy(
  configFile: ConfigFile,
  text: string,
  change: SettingChange,
): Promise<string | null> {
  const problemsAfter = (before: string): Promise<number> => countProblems(configFile, apply(before, change));
  const steps: SettingChange[] = [];
  let now = text;
  let left = await problemsAfter(now);
  for (const remedy of listRemedies(text, change)) {
    const tried = apply(now, remedy);
    if ((await countProblems(configFile, tried)) > 0) continue;
    const rest = await problemsAfter(tried);
    if (rest >= left) continue;
    steps.push(remedy);
    [now, left] = [tried, rest];
    if (left === 0) return renderSettingCommands([...steps, change]);
  }
  return null;
}

function apply(text: string, change: SettingChange): string {
  const edited = editSetting(text, change);
  assert(edited.ok, 'only what can be typed is tried');
  return edited.text;
}

/** Of a text of config.toml. */
async function countProblems(configFile: ConfigFile, text: string): Promise<number> {
  try {
    await configFile.parse(text);
    return 0;
  } catch (error) {
    if (error instanceof RunnerError && error.code === 'CONFIG_INVALID')
      return Math.max(1, error.details.length);
    throw error;
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
  const sources = await Promise.all(
    [configPath, 'state/tree.json', 'GOAL.md'].map((name) => workspace.load(name)),
  );
  return sources.some(({ kind }) => kind !== 'missing');
}
