/** config.toml with environment and flags laid over it (§9). It never writes. */
import { parseLayeredConfig } from '../../core/config/config-file.ts';
import { readOverrides, renderOverrides } from '../../core/config/config-layers.ts';
import type { ConfigFlag, ConfigLayers } from '../../core/config/config-layers.ts';
import { RunnerError } from '../../core/errors.ts';
import { textFileBytesMax } from '../../core/limits.ts';
import { withPath } from '../../core/text/text-place.ts';
import type { Config, Env } from '../../core/types.ts';
import type { ConfigFile, ConfigStore } from '../../ports/stores.ts';
import type { Layout } from '../files/layout.ts';
import { loadStateText } from '../files/state-text.ts';
import { parseTomlText } from '../files/toml-text.ts';

export interface ConfigSources {
  readonly place: Layout;
  readonly env: Env;
  readonly flags: readonly ConfigFlag[];
}

const hint = 'correct .runner/state/config.toml, then run: runner validate';

export function configStore(sources: ConfigSources): ConfigStore {
  const { place, env, flags } = sources;
  return {
    load: async () => merge(await loadLayers(sources), place.config),
    parse: async (text, settings) => {
      const layers = settings === undefined ? { env, flags } : { env: {}, flags: readOverrides(settings) };
      return merge({ file: parseToml(text, place.config), text, ...layers }, place.config);
    },
    overrides: () => renderOverrides(sources),
  };
}

export function configFile(sources: ConfigSources): ConfigFile {
  const path = sources.place.config;
  return {
    layers: () => loadLayers(sources),
    parse: async (text) => {
      const value = parseToml(text, path);
      return { value, config: merge({ file: value, text, env: {}, flags: [] }, path) };
    },
  };
}

async function loadLayers({ place, env, flags }: ConfigSources): Promise<ConfigLayers> {
  const text = await loadStateText({
    path: place.config,
    root: place.projectDir,
    code: 'CONFIG_INVALID',
    bytesMax: textFileBytesMax,
  });
  return { file: parseToml(text ?? '', place.config), text: text ?? '', env, flags };
}

function merge(layers: ConfigLayers, path: string): Config {
  const parsed = parseLayeredConfig(layers);
  if (parsed.ok) return parsed.config;

  const { count } = parsed;
  const setBy = parsed.setBy.join(', ');
  throw new RunnerError({
    code: 'CONFIG_INVALID',
    message: `the configuration has ${count} ${count === 1 ? 'problem' : 'problems'} (${setBy === '' ? path : setBy})`,
    details: parsed.problems.map((problem) => withPath(path, problem)),
    hint: setBy === '' ? hint : `give ${setBy} another value; what is allowed: runner help config`,
  });
}

function parseToml(text: string, path: string): unknown {
  const parsed = parseTomlText(text);
  if (parsed.ok) return parsed.value;
  throw new RunnerError({
    code: 'CONFIG_INVALID',
    message: withPath(path, parsed.problem),
    hint,
    cause: parsed.cause,
  });
}
