/** config.toml with environment and flags laid over it (§9). The one importer of the TOML parser; it never writes. */
import { TomlError, parse } from 'smol-toml';
import { parseLayeredConfig } from '../core/config-file.ts';
import type { ConfigFlag, ConfigLayers } from '../core/config-file.ts';
import { RunnerError } from '../core/errors.ts';
import { textFileBytesMax } from '../core/limits.ts';
import type { Config } from '../core/types.ts';
import type { ConfigFile, ConfigStore } from '../ports/stores.ts';
import type { Layout } from './layout.ts';
import { loadStateText } from './state-text.ts';

export interface ConfigSources {
  readonly place: Layout;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: readonly ConfigFlag[];
}

const hint = 'correct .runner/state/config.toml, then run: runner validate';

export function configStore(sources: ConfigSources): ConfigStore {
  return { load: async () => merge(await loadLayers(sources), sources.place.config) };
}

export function configFile(sources: ConfigSources): ConfigFile {
  const path = sources.place.config;
  return {
    layers: () => loadLayers(sources),
    parse: (text) => {
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
  if (parsed.ok) {
    return parsed.config;
  }
  const { count } = parsed;
  throw new RunnerError({
    code: 'CONFIG_INVALID',
    message: `the configuration has ${count} ${count === 1 ? 'problem' : 'problems'} (${path})`,
    details: parsed.problems,
    hint,
  });
}

function parseToml(text: string, path: string): unknown {
  try {
    return parse(text);
  } catch (cause) {
    if (!(cause instanceof TomlError)) {
      throw cause;
    }
    const words = cause.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? '';
    throw new RunnerError({
      code: 'CONFIG_INVALID',
      message: `${path} is not valid TOML: line ${cause.line}, column ${cause.column}: ${words}`,
      hint,
      cause,
    });
  }
}
