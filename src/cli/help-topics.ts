/** The topics of `runner help`: their texts and their JSON, made from the tables in the code. */
import { listSettings } from '../core/config/config-help.ts';
import { commandTable } from './table/command-table.ts';
import type { CommandRow } from './table/row.ts';
import { listEnvironment } from './environment.ts';
import type { VariableHelp } from './environment.ts';
import { errorTable, exitCodes, exitMeanings } from './exit-codes.ts';

export interface Topic {
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export const topics: ReadonlyMap<string, () => Topic> = new Map([
  ['exit-codes', exitCodesTopic],
  ['config', configTopic],
  ['environment', environmentTopic],
]);

function exitCodesTopic(): Topic {
  const exits = Object.entries(exitMeanings).map(([name, meaning]) => ({
    exit: exitCodes[name as keyof typeof exitCodes],
    name,
    meaning,
  }));
  const errors = Object.entries(errorTable).map(([code, row]) => ({ code, ...row }));
  return {
    text: [
      'Exit codes:',
      ...columns(exits.map(({ exit, meaning }) => [String(exit), meaning])),
      '',
      'Error codes with their exit code (runner explain <code> lists causes and fixes):',
      ...columns(errors.map(({ code, exit, meaning }) => [code, String(exit), meaning])),
    ].join('\n'),
    value: { exit_codes: exits, error_codes: errors },
  };
}

function configTopic(): Topic {
  const flags = listFlags();
  const settings = listSettings().map(({ key, default: standard, allowed, variable, means }) => ({
    key,
    default: standard,
    allowed,
    variable,
    flag: flags.get(key) ?? null,
    means,
  }));
  return {
    text: [
      'Precedence: flag, environment variable, .runner/state/config.toml, default.',
      'agent.name is the key name in the table [agent].',
      ...settings.flatMap((setting) => [
        '',
        `${setting.key}${setting.default === null ? ' (not set)' : ` = ${setting.default}`}`,
        `  ${setting.means}`,
        `  allowed: ${setting.allowed}`,
        `  variable: ${setting.variable}${setting.flag === null ? '' : `, flag: ${setting.flag}`}`,
      ]),
    ].join('\n'),
    value: { settings },
  };
}

/** Which flag sets which key. */
function listFlags(): ReadonlyMap<string, string> {
  const rows: readonly CommandRow[] = commandTable;
  return new Map(
    rows.flatMap(({ options }) =>
      options.flatMap(({ sets, flags }) => (sets === undefined ? [] : [[sets, flags] as const])),
    ),
  );
}

function environmentTopic(): Topic {
  const known = listEnvironment();
  const rows = (list: readonly VariableHelp[]): readonly string[] =>
    columns(list.map(({ name, means }) => [name, means]));
  return {
    text: [
      'Variables that override a setting (lists as JSON, true or false; an empty value is ignored):',
      ...rows(known.settings),
      '',
      'Variables the runner reads:',
      ...rows(known.read),
      '',
      'Variables given to agent and guard:',
      ...rows(known.session.filter(({ guard }) => guard)),
      '',
      'Variables given to the agent only:',
      ...rows(known.session.filter(({ guard }) => !guard)),
      '',
      'Agent and guard get your environment, except these (agent.env and guard.env name exceptions):',
      ...known.left_out.flatMap(({ kind, means, names }) => [
        `  ${kind}: ${means}`,
        `    ${names.join(' ')}`,
      ]),
      '',
      'Names that look like secrets and are passed on:',
      `  ${known.harmless.join(' ')}`,
      '',
      'Variables passed to one agent only:',
      ...columns(known.credentials.map(({ agent, names }) => [agent, names.join(' ')])),
    ].join('\n'),
    value: { ...known },
  };
}

/** Indented, each column but the last as wide as its widest cell. */
function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd());
}
