/** Hints that name a setting. Such a hint helps only if the file decides: a flag or a variable overrides it (§9). */
import { layConfig } from './config-layers.ts';
import type { Layers } from './config-layers.ts';

export function fittingHint(layers: Omit<Layers, 'file'>): (hint: string, least?: number | null) => string {
  const { setBy } = layConfig({ file: {}, ...layers });
  return (hint, least = null) => {
    const [, key = '', value = ''] = /^runner config set (\S+) ([^\s,]+)/.exec(hint) ?? [];
    const by = setBy.get(key);
    if (by === undefined) return hint;
    const enough = least ?? value;
    // Only `step` and `loop` reach a limit, and `loop` goes on.
    if (by.startsWith('--')) return `runner loop ${by} ${enough}`;
    return `set ${by} to at least ${enough}, or remove it: it overrides the file`;
  };
}
