/** Which other settings to change first, if a rule that joins keys refuses a change (§9). These are proposals: the caller tries them. */
import { configKeys } from '../settings.js';
import { shellWord } from '../text/shell-word.ts';
import { findSettingLine } from './config-edit.ts';

/** As `runner config set` and `unset` take it; `typed` null takes the key out. */
export interface SettingChange {
  readonly key: string;
  readonly typed: string | null;
}

/** Keys that others need, each with a value to begin with. */
const examples: readonly SettingChange[] = [
  { key: 'agent.command', typed: '["./agent.sh"]' },
  { key: 'agent.script', typed: 'script.json' },
  { key: 'review.agent', typed: 'claude' },
];

/** Other settings that may have to be set, or taken out, first; the likeliest first. Who works is never changed for another setting. */
export function listRemedies(text: string, { key, typed }: SettingChange): readonly SettingChange[] {
  const isSet = (name: string): boolean => findSettingLine(text, name) !== null;
  const kept = typed === null ? [key] : [key, 'agent.name', 'review.agent'];
  return [
    ...examples.filter((one) => one.key !== key && !isSet(one.key)),
    ...configKeys.flatMap((one) =>
      kept.includes(one.key) || !isSet(one.key) ? [] : [{ key: one.key, typed: null }],
    ),
  ];
}

/** To be typed into a shell. */
export function renderSettingCommands(changes: readonly SettingChange[]): string {
  return changes
    .map(({ key, typed }) =>
      typed === null ? `runner config unset ${key}` : `runner config set ${key} ${shellWord(typed)}`,
    )
    .join(' && ');
}
