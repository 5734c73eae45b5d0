/**
 * Schemas for the values in files that people write, with uniform messages: the expected value, then the actual one. Which key
 * takes which value is decided elsewhere.
 */
import * as z from 'zod';

import { suggest } from './suggest.ts';

const shownLengthMax = 60;

/** Every issue of a field reads the same way: what is allowed, then what was there. */
export function must(allowed: string): { error: (issue: { input?: unknown }) => string } {
  return {
    error: ({ input }) =>
      input === undefined ? `is missing; must be ${allowed}` : `must be ${allowed}, not ${shown(input)}`,
  };
}

function shown(value: unknown): string {
  // JSON.stringify renders NaN as null.
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value, oneLevel());
  return text.length > shownLengthMax ? `${text.slice(0, shownLengthMax)}…` : text;
}

/** Dotted keys can nest tables deeper than the stack, so everything below the first level is left out. */
function oneLevel(): (key: string, item: unknown) => unknown {
  let isTop = true;
  return (_key, item) => {
    const isKept = isTop || typeof item !== 'object' || item === null;
    isTop = false;
    return isKept ? item : '…';
  };
}

export function whole(min: number, max: number): z.ZodInt {
  const allowed = must(`a whole number from ${min} to ${max}`);
  return z.int(allowed).min(min, allowed).max(max, allowed);
}

export function amount(min: number, max: number): z.ZodNumber {
  const allowed = must(`a number above ${min}, at most ${max}`);
  return z.number(allowed).gt(min, allowed).max(max, allowed);
}

export function choice<const T extends readonly string[]>(values: T): z.ZodEnum<{ [K in T[number]]: K }> {
  const { error } = must(`one of ${values.map((value) => `"${value}"`).join(', ')}`);
  return z.enum(values, {
    error: (issue) => {
      const near = typeof issue.input === 'string' ? suggest(issue.input, values) : null;
      return `${error(issue)}${near === null ? '' : `; did you mean "${near}"?`}`;
    },
  });
}

export function filled(what: string): z.ZodString {
  const allowed = must(`${what} (text that is not empty)`);
  return z.string(allowed).min(1, allowed).regex(withoutNul, allowed);
}

export function flag(): z.ZodBoolean {
  return z.boolean(must('true or false'));
}

/** A NUL character cannot be part of a program's argument. */
// oxlint-disable-next-line no-control-regex
const withoutNul = /^[^\u0000]*$/;

/** No shell is involved, so the first entry alone is the program. */
export function argv(example: string): z.ZodArray<z.ZodString> {
  const allowed = must(`a list of texts, first the program, e.g. ${example}`);
  const item = z.string(allowed).regex(withoutNul, allowed);
  return z
    .array(item, allowed)
    .min(1, { ...allowed, abort: true })
    .refine((values) => String(values[0]).trim() !== '', allowed);
}

export function variableNames(): z.ZodArray<z.ZodString> {
  const name = must('the name of an environment variable');
  return z.array(
    z.string(name).regex(/^[A-Za-z_][A-Za-z0-9_]*$/, name),
    must('a list of names of environment variables'),
  );
}
