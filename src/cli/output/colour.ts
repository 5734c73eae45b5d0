/** Colours on stderr: `FORCE_COLOR` overrides `NO_COLOR`; without either, only on a terminal. */

import type { Env } from '../../core/types.ts';
import type { Settings } from './streams.ts';

export type Style = 'good' | 'bad' | 'doubtful' | 'strong' | 'faint';
export type Paint = (style: Style, text: string) => string;

const codes: Readonly<Record<Style, number>> = { good: 32, bad: 31, doubtful: 33, strong: 1, faint: 2 };

const noPaint: Paint = (_style, text) => text;

/** `isTerminal`: one that is not dumb. An empty variable counts as not set. */
export function paintFor(env: Env, { isTerminal }: { readonly isTerminal: boolean }): Paint {
  const forced = env['FORCE_COLOR'] ?? '';
  const isWanted =
    forced === '' ? isTerminal && (env['NO_COLOR'] ?? '') === '' : forced !== '0' && forced !== 'false';
  if (!isWanted) return noPaint;
  return (style, text) => (text === '' ? '' : `\u001b[${codes[style]}m${text}\u001b[0m`);
}

/** Colours on stdout: only on a terminal, because scripts read it everywhere else, `FORCE_COLOR` or not. */
export function paintForOut({ env, streams }: Pick<Settings, 'env' | 'streams'>): Paint {
  return streams.outColumns() === null ? noPaint : paintFor(env, { isTerminal: true });
}
