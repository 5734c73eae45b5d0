/** The table of `npm run test:hostile`, and what in it is a failure. Pure: it is given what was played. */
import type { HostileCase } from './case.ts';
import { problemsOf, showsEffect } from './play.ts';
import type { Mode, Played } from './play.ts';

export interface Row {
  readonly hostile: HostileCase;
  readonly played: Readonly<Partial<Record<Mode, Played>>>;
  /** Why nothing could be played. */
  readonly error: string | null;
}

export type Verdict = 'held' | 'third ring' | 'beyond' | 'failed';

/** `third ring`: a false pass with the default settings that the judge's checkout of every pass catches. */
export function judgeRow({ hostile, played, error }: Row): Verdict {
  if (error !== null) return 'failed';

  const every = played.every === undefined ? [] : problemsOf(played.every);
  if (played.sandbox !== undefined) return problemsOf(played.sandbox).length === 0 ? 'held' : 'failed';

  const usual = played.default === undefined ? [] : problemsOf(played.default);
  const control = played.control === undefined || isShown(hostile, played.control);
  if (hostile.beyond !== undefined) return 'beyond';

  if (every.length > 0 || !control) return 'failed';

  if (usual.length === 0) return 'held';

  return usual.every((problem) => problem === 'false pass') ? 'third ring' : 'failed';
}

function isShown(hostile: HostileCase, played: Played): boolean {
  return played.didHappen && showsEffect(hostile, played);
}

function describe(played: Played | undefined): string {
  if (played === undefined) return '–';

  const problems = problemsOf(played);
  return problems.length === 0 ? played.recorded : problems.join('; ').toUpperCase().slice(0, 70);
}

function describeControl({ hostile, played }: Row): string {
  if (hostile.control.kind === 'none') return `none`;

  if (played.control === undefined) return '–';

  const how =
    hostile.control.kind === 'bare' ? 'bare loop' : `without ${hostile.control.protections.join(', ')}`;
  if (isShown(hostile, played.control)) return `works (${how})`;

  return `NO EFFECT (${how}): ${describe(played.control)}`.slice(0, 90);
}

/** For the line that is printed while the others are played. */
export function renderProblems(row: Row): string {
  const found = Object.values(row.played).flatMap((played) => {
    const problems = played.mode === 'control' ? [] : problemsOf(played);
    return problems.length === 0 ? [] : [`${played.mode}: ${problems.join('; ')}`];
  });
  return found.length === 0 ? '' : ` (${found.join(' | ')})`;
}

export function renderTable(rows: readonly Row[]): string {
  const head = ['case', 'family', 'reach', 'verdict', 'default settings', 'checkout every', 'control', 's'];
  const lines = rows.map((row) => [
    row.hostile.name,
    row.hostile.family,
    row.hostile.reach,
    judgeRow(row) === 'failed' ? 'FAILED' : judgeRow(row),
    row.error === null ? describe(row.played.default) : (row.error.split('\n')[0] ?? ''),
    describe(row.played.every ?? row.played.sandbox),
    describeControl(row),
    Object.values(row.played)
      .reduce((sum, played) => sum + played.seconds, 0)
      .toFixed(1),
  ]);
  const widths = head.map((_, at) => Math.max(...[head, ...lines].map((line) => line[at]?.length ?? 0)));
  return [head, ...lines]
    .map((line) =>
      line
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function renderSummary(rows: readonly Row[]): string {
  const of = (verdict: Verdict): readonly string[] =>
    rows.filter((row) => judgeRow(row) === verdict).map(({ hostile }) => hostile.name);
  const beyond = rows
    .filter((row) => judgeRow(row) === 'beyond')
    .map(({ hostile }) => `  ${hostile.name}: ${hostile.beyond ?? ''}`);
  const list = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));
  return [
    `attacks: ${rows.length}; held: ${of('held').length}; failed: ${list(of('failed'))}`,
    `caught only by the judge's checkout (guard.checkout = "every"): ${list(of('third ring'))}`,
    `out of reach without containment:\n${beyond.join('\n')}`,
  ].join('\n');
}
