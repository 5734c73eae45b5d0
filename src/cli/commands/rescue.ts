/** `runner rescue list|show|restore`: what the runner took out of the work tree, and how to get it back. */
import { listRescue, restoreRescue, shortRef, showRescue } from '../../app/person/rescue.ts';
import type { RestoreOutcome } from '../../app/person/rescue.ts';
import { cleanLine, cleanText } from '../../core/text/terminal-text.ts';
import type { RescueEntry } from '../../ports/git-history.ts';
import { exitCodes } from '../exit-codes.ts';
import { word } from '../output/fields.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';
import { openPersonProject } from '../wire/person.ts';
import type { PersonProject } from '../wire/person.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const project = await openPersonProject(settings);
  const [ref = ''] = call.args;
  if (call.name === 'rescue list') return list(settings, project);
  if (call.name === 'rescue show') return show(settings, project, ref);
  const { path, force } = call.options;
  const paths = Array.isArray(path) ? path.map(String) : [];
  const restored = await project.withLock('runner rescue restore', () =>
    restoreRescue(project, { word: ref, paths, isForced: force === true }),
  );
  printRestored(settings, restored);
  return exitCodes.ok;
}

async function list(settings: Settings, project: PersonProject): Promise<number> {
  const entries = await listRescue(project);
  if (entries.length === 0 && !settings.quiet) settings.streams.err('note: nothing was rescued here\n');
  const value = { command: 'rescue list', rescues: entries };
  if (settings.json || entries.length > 0)
    printLine(settings, entries.map((entry) => `rescue: ${renderEntry(entry)}`).join('\n'), value);
  return exitCodes.ok;
}

function renderEntry(entry: RescueEntry): string {
  const { ref, run_id, iter, commit, saved_at, files, insertions, deletions, subject } = entry;
  const size = `files=${files} insertions=${insertions} deletions=${deletions}`;
  return `ref=${word(shortRef(ref))} run=${word(run_id)} iter=${iter ?? 'none'} commit=${commit.slice(0, 12)} saved_at=${word(saved_at)} ${size} what=${JSON.stringify(cleanLine(subject))}`;
}

async function show(settings: Settings, project: PersonProject, ref: string): Promise<number> {
  const { entry, patch } = await showRescue(project, ref);
  const value = { command: 'rescue show', ...entry, patch };
  const text = settings.json
    ? `${JSON.stringify(value)}\n`
    : `rescue: ${renderEntry(entry)}\n${cleanText(patch)}`;
  await settings.streams.send(text);
  return exitCodes.ok;
}

function printRestored(settings: Settings, restored: RestoreOutcome): void {
  const { ref, written, overwritten, deleted } = restored;
  if (!settings.quiet) {
    const lost = new Set(overwritten);
    for (const path of written)
      settings.streams.err(`${lost.has(path) ? 'overwritten' : 'written'}: ${cleanLine(path)}\n`);
    for (const path of deleted) settings.streams.err(`note: deleted there, still here: ${cleanLine(path)}\n`);
  }
  printLine(
    settings,
    `rescue: restored=${word(shortRef(ref))} written=${written.length} overwritten=${overwritten.length} deleted_there=${deleted.length}`,
    { command: 'rescue restore', ref, written, overwritten, deleted_there: deleted },
  );
}
