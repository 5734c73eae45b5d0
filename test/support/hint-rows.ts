/** What a row of the tables of hints holds: how a person gets into the situation, and what follows when the hint is typed. */
import { expect } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import type { Project, Ran } from './project.ts';

export interface Situation {
  readonly p: Project;
  readonly ran: Ran;
}

export interface HintRow {
  /** Gets into the situation with the built program. */
  readonly meet: () => Promise<Situation>;
  /** What the hint asks a person to do by hand, before the command is typed. */
  readonly byHand?: (p: Project) => unknown;
  /** The words of the hint that are typed; missing: its first command, and what follows it by "then". */
  readonly words?: (hint: string) => string;
  /** Shows that it led on; missing: that the typed command ended with 0. */
  readonly ledOn?: (p: Project) => Promise<unknown>;
}

export interface Unreachable {
  readonly why: string;
}

export type HintTable = Partial<Record<ErrorCode, HintRow | Unreachable>>;

/** The situation of a command, run once. */
export async function met(p: Project, ...args: readonly string[]): Promise<Situation> {
  return { p, ran: await p.run(...args) };
}

export async function metWith(
  p: Project,
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Situation> {
  return { p, ran: await p.runWith(env, ...args) };
}

/** The command does what it was asked for. */
export function works(...args: readonly string[]): (p: Project) => Promise<void> {
  return async (p) => {
    const ran = await p.run(...args);
    expect(ran.code, `${args.join(' ')}\n${ran.out}\n${ran.err}`).toBe(0);
  };
}

export const afterThen = (hint: string): string => hint.split(/, then(?: run)?: /u)[1] ?? '';
export const afterColon = (hint: string): string => hint.slice(hint.indexOf(': ') + 2);
