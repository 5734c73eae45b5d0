/**
 * Files of the home folder that a sandbox treats apart: secrets among toolchains, and settings of tools, copied without their tokens.
 * Which they are is data in core/agents.
 */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { maskedPaths, movedSettings, tokenKeys } from '../../../core/sandbox/sandbox-policy.ts';
import { diskError } from '../../files/disk-error.ts';
import { parseTomlText, renderToml } from '../../files/toml-text.ts';
import { giveTo } from '../../files/owner.ts';
import type { Owner } from '../../files/owner.ts';

/** Absolute paths. In the data `*` matches any name. */
export function listMasked(home: string): readonly string[] {
  return maskedPaths.flatMap((path) => expand(home, path.split('/')));
}

function expand(folder: string, names: readonly string[]): readonly string[] {
  const [name, ...rest] = names;
  if (name === undefined) return [folder];
  return (name === '*' ? listNames(folder) : [name]).flatMap((each) => expand(join(folder, each), rest));
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** One that cannot be read, or understood where it may hold a token, is left out. Throws DISK. */
export function copySettings(
  home: string,
  { folder, owner }: { readonly folder: string; readonly owner: Owner },
): void {
  for (const { from, to } of movedSettings) {
    const text = loadSettings(join(home, from), to);
    if (text === null) continue;
    const path = join(folder, to);
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      if (process.getuid?.() === 0) giveTo(folder, owner);
    } catch (cause) {
      throw diskError({ action: 'write', path, cause });
    }
  }
}

function loadSettings(path: string, name: string): string | null {
  try {
    const text = readFileSync(path, 'utf8');
    if (!name.startsWith('cargo/')) return text;
    const read = parseTomlText(text);
    return read.ok ? renderToml(withoutTokens(read.value)) : null;
  } catch {
    return null;
  }
}

function withoutTokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTokens);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const kept = Object.entries(value).filter(([key]) => !tokenKeys.includes(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutTokens(inner)]));
}
