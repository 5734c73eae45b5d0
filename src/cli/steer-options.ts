/** Flags that the commands of steering share. */
import { RunnerError } from '../core/errors.ts';
import type { Spot } from '../core/tree/person-shape.ts';
import type { CommandCall } from './program.ts';

export function textOf(call: CommandCall, name: string): string | null {
  const value = call.options[name];
  return typeof value === 'string' ? value : null;
}

export function spotOf(call: CommandCall): Spot {
  const spot = { before: textOf(call, 'before'), after: textOf(call, 'after') };
  if (spot.before === null || spot.after === null) return spot;
  const message = '--before and --after cannot be combined';
  throw new RunnerError({ code: 'USAGE', message, hint: `runner help ${call.name}` });
}

/** Criteria of both spellings of the flag; null: none is given. */
export function acceptanceOf({ options }: CommandCall): string[] | null {
  const given = [options['accept'], options['acceptance']].filter((value) => Array.isArray(value));
  return given.length === 0 ? null : given.flat().map(String);
}
