/** Hints about settings, for the flags and variables of this call. */
import { layConfig } from '../core/config-layers.ts';
import type { Layers } from '../core/config-layers.ts';
import { fitHint } from '../core/setting-hint.ts';

export function fittingHint(layers: Omit<Layers, 'file'>): (hint: string) => string {
  const { setBy } = layConfig({ file: {}, ...layers });
  return (hint) => fitHint(hint, setBy);
}
