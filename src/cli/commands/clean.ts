/** `runner clean`: frees what ended runs left. */
import { clean } from '../../app/runs/clean.ts';
import type { CleanOutcome } from '../../app/runs/clean.ts';
import { leftoverKinds, parseAge } from '../../core/runs/clean-plan.ts';
import type { Leftover } from '../../core/runs/clean-plan.ts';
import { RunnerError } from '../../core/errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { word } from '../output/fields.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { openEnding } from '../wire/ending.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const { olderThan, dryRun } = call.options;
  const kinds = leftoverKinds.filter((kind) => call.options[kind] === true);
  const ageMs = typeof olderThan === 'string' ? requireAge(olderThan) : null;
  const ports = await openEnding(settings, call, 'clean');
  const before = ageMs === null ? null : new Date(ports.clock.localNow().epochMs - ageMs).toISOString();
  const outcome = await clean(ports, { kinds, before, isDryRun: dryRun === true });
  printCleaned(settings, outcome);
  return exitCodes.ok;
}

function requireAge(text: string): number {
  const age = parseAge(text);
  if (age !== null) return age;
  throw new RunnerError({
    code: 'USAGE',
    message: `--older-than is '${text}', not a number with m, h, d or w`,
    hint: 'runner clean --older-than 30d',
  });
}

function printCleaned(settings: Settings, outcome: CleanOutcome): void {
  const { removed, kept, dry_run } = outcome;
  const sum = (all: readonly Leftover[]): number => all.reduce((bytes, one) => bytes + one.bytes, 0);
  if (!settings.quiet) {
    const did = dry_run ? 'would remove' : 'removed';
    for (const { kind, place, bytes } of removed)
      settings.streams.err(`${did} ${kind}: ${word(place)} (${bytes} bytes)\n`);
    for (const kind of leftoverKinds) {
      const left = kept.filter((one) => one.kind === kind);
      if (left.length === 0) continue;
      settings.streams.err(`note: left for --${kind}: ${countOf(left)}, ${sum(left)} bytes\n`);
    }
  }
  const runs = new Set(removed.map(({ run_id }) => run_id)).size;
  printLine(
    settings,
    `clean: runs=${runs} removed=${removed.length} bytes=${sum(removed)} left=${kept.length}${dry_run ? ' dry_run=true' : ''}`,
    { command: 'clean', ...outcome },
  );
}

function countOf(left: readonly Leftover[]): string {
  const refs = left.filter(({ place }) => place.startsWith('refs/')).length;
  return [countWords(refs, 'ref'), countWords(left.length - refs, 'folder')]
    .filter((text) => text !== '')
    .join(', ');
}

function countWords(count: number, what: string): string {
  return count === 0 ? '' : `${count} ${what}${count === 1 ? '' : 's'}`;
}
