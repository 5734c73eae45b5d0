/**
 * Finds effects in the text of a module: clocks, chance, the process, timers, the machine's locale, async code. Uses
 * esbuild as the parser and runs nothing of what it reads.
 */
import { transform } from 'esbuild';

const clocksAndChance = [
  'Date Math.random crypto performance process globalThis console fetch Intl',
  'setTimeout setInterval setImmediate queueMicrotask',
].flatMap((line) => line.split(' '));

/** esbuild replaces only names that no scope of the file declares, so texts, properties and locals do not count. */
async function findGlobals(text: string, names: readonly string[]): Promise<readonly string[]> {
  const mark = (name: string): string => `BANNED_${name.replace('.', '_')}`;
  const { code } = await transform(text, {
    loader: 'ts',
    define: Object.fromEntries(names.map((name) => [name, mark(name)])),
  });
  return names.filter((name) => code.includes(mark(name)));
}

/** An async function needs esbuild's helper where async is declared unsupported; a top-level await is refused. */
async function hasAsync(text: string): Promise<boolean> {
  const supported = { 'async-await': false, 'async-generator': false, 'for-await': false };
  const lowered = await transform(text, { loader: 'ts', supported, logLevel: 'silent' }).catch(() => null);
  return lowered === null || /\b__async(?:Generator)?\b/.test(lowered.code);
}

export async function findEffects(
  text: string,
  options: { readonly allowAsync: boolean },
): Promise<readonly string[]> {
  const names = options.allowAsync ? clocksAndChance : [...clocksAndChance, 'Promise'];
  const globals = await findGlobals(text, names);
  const locale = /\.(?:localeCompare|toLocale\w*)\(/.test(text) ? ['the locale of the machine'] : [];
  const waits = !options.allowAsync && (await hasAsync(text)) ? ['async code'] : [];
  return [...globals, ...locale, ...waits];
}
