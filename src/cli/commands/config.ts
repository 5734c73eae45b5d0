/** `runner config list|get|set|unset`: settings with their origin, and one line of config.toml changed. */
import { changeConfig, getConfig, listConfig } from '../../app/person/config.ts';
import type { ConfigChange } from '../../app/person/config.ts';
import { nowOrQueued } from '../../app/person/queue.ts';
import { renderOrigin } from '../../core/config/setting-list.ts';
import type { Setting } from '../../core/config/setting-list.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { printQueued } from '../steer-output.ts';
import { openPersonProject } from '../wire/person.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const project = await openPersonProject(settings, call.overrides);
  const [key = '', typed = ''] = call.args;
  if (call.name === 'config get') {
    const setting = await getConfig(project, key);
    printLine(settings, cleanLine(bare(setting)), { command: call.name, ...valueOf(setting) });
  } else if (call.name === 'config list') {
    const list = await listConfig(project);
    const showOrigin = call.options['showOrigin'] === true;
    const lines = list.map((setting) => cleanLine(renderLine(setting, showOrigin)));
    printLine(settings, lines.join('\n'), configListValue(list));
  } else {
    const request = { key, typed: call.name === 'config set' ? typed : null };
    const change = await nowOrQueued(project, {
      command: `runner ${call.name}`,
      now: () => changeConfig(project, request),
      later: () => Promise.resolve({ kind: 'config', ...request }),
    });
    if ('kind' in change) printQueued(settings, call.name, change);
    else printChange(settings, call, change);
  }
  return exitCodes.ok;
}

export function configListValue(list: readonly Setting[]): Readonly<Record<string, unknown>> {
  return { command: 'config list', settings: list.map(valueOf) };
}

/** For a shell: a text without quotes, nothing for what is not set. */
function bare({ value }: Setting): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function renderLine(setting: Setting, showOrigin: boolean): string {
  const line = `${setting.key}=${JSON.stringify(setting.value)}`;
  return showOrigin ? `${line} origin=${renderOrigin(setting.origin)}` : line;
}

function valueOf({ key, value, origin }: Setting): Record<string, unknown> {
  return { key, value, origin };
}

const reasons = {
  no_repository: 'not inside a git repository: the file is written, nothing is committed',
  not_on_run_branch: 'not on the branch of a run: the file is written, nothing is committed',
  unchanged: 'config.toml already has this value',
} as const;

function printChange(settings: Settings, call: CommandCall, change: ConfigChange): void {
  const { key, changed, commit, why, now } = change;
  if (!settings.quiet) {
    if (why !== null) settings.streams.err(`note: ${reasons[why]}\n`);
    if (now !== null && now.origin.kind !== 'file' && now.origin.kind !== 'default') {
      const shown = cleanLine(JSON.stringify(now.value));
      settings.streams.err(`note: ${renderOrigin(now.origin)} overrides the file: ${key} is ${shown} here\n`);
    }
  }
  const verb = call.name === 'config set' ? 'set' : 'unset';
  printLine(settings, `config: ${verb} key=${key} changed=${changed} commit=${commit ?? 'none'}`, {
    command: call.name,
    key,
    changed,
    commit,
    reason: why,
    value: now?.value ?? null,
    origin: now?.origin ?? null,
  });
}
