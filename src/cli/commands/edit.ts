/** `runner edit`: changes the texts of an open node, from flags, a file or the person's editor, as a person's commit. */
import { hasTerminal, loadInput, runEditor } from '../../adapters/processes/editor.ts';
import { editOrQueue } from '../../app/person/node.ts';
import { assert, RunnerError } from '../../core/errors.ts';
import { parseForm, renderForm } from '../../core/tree/node-form.ts';
import { withPath } from '../../core/text/text-place.ts';
import type { NodeTexts } from '../../core/tree/person-edit.ts';
import type { Visit } from '../../core/tree/tree-walk.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import { acceptanceOf } from '../steer-options.ts';
import { printQueued } from '../steer-output.ts';
import type { Settings } from '../output/streams.ts';
import { openPersonProject } from '../wire/person.ts';
import type { PersonProject } from '../wire/person.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const [word = ''] = call.args;
  const given = await textsOf(settings, call, word);
  const project = await openPersonProject(settings);
  const form = openForm(settings, project);
  const outcome = await editOrQueue(project, {
    word,
    write: given === null ? form.write : () => Promise.resolve(given),
  });
  await form.drop();
  if ('kind' in outcome) {
    printQueued(settings, 'edit', outcome);
    return exitCodes.ok;
  }
  const { run_id, id, changed, commit } = outcome;
  if (!settings.quiet) {
    settings.streams.err(
      changed.length === 0 ? `${id} is unchanged\n` : `${id}: ${changed.join(', ')} changed\n`,
    );
  }
  const what = changed.length === 0 ? 'none' : changed.join(',');
  printLine(settings, `edit: run=${run_id} node=${id} changed=${what} commit=${commit ?? 'none'}`, {
    command: 'edit',
    ...outcome,
  });
  return exitCodes.ok;
}

/** What flags or a file say; null: a person is to be asked. */
async function textsOf(
  settings: Settings,
  call: CommandCall,
  word: string,
): Promise<Partial<NodeTexts> | null> {
  const { title, goal, fromFile } = call.options;
  const acceptance = acceptanceOf(call) ?? undefined;
  const flags = Object.entries({ title, goal, acceptance }).filter(([, value]) => value !== undefined);
  if (typeof fromFile === 'string') {
    if (flags.length > 0) throw usage('--from-file cannot be combined with other flags', word);
    const form = parseForm(await loadInput(fromFile, settings.directory, 'runner edit --help'));
    if (!form.ok) throw usage(inFile(fromFile === '-' ? 'stdin' : fromFile, form.message), word);
    return form.texts;
  }
  if (flags.length > 0) return Object.fromEntries(flags);
  if (!settings.noInput && hasTerminal()) return null;
  const why = settings.noInput ? '--no-input' : 'there is no terminal for an editor';
  throw usage(`nothing to change (${why}); use --title, --goal, --acceptance or --from-file`, word);
}

function inFile(file: string, problem: string): string {
  const placed = withPath(file, problem);
  return placed === problem ? `${file}: ${problem}` : placed;
}

function usage(message: string, word: string): RunnerError {
  return new RunnerError({
    code: 'USAGE',
    message,
    hint: `runner edit ${word} --goal <text> --acceptance <text>`,
  });
}

/** The person's editor; `drop` removes the form when the change is safe. */
function openForm(
  settings: Settings,
  { own, projectDir }: PersonProject,
): { write: (visit: Visit) => Promise<Partial<NodeTexts>>; drop: () => Promise<void> } {
  let drop = async (): Promise<void> => {};
  const write = async ({ node, path }: Visit): Promise<Partial<NodeTexts>> => {
    assert(own !== null, 'a run has a git folder');
    const edited = await runEditor({
      own,
      nodeId: node.id,
      text: renderForm(node, path),
      cwd: projectDir,
      env: settings.env,
      onNote: (message) => settings.streams.err(`note: ${message}\n`),
    });
    const form = parseForm(edited.text);
    if (!form.ok) {
      throw new RunnerError({
        code: 'USAGE',
        message: `the form cannot be read, so nothing was changed: ${inFile(edited.file, form.message)}`,
        hint: `correct the file, then: runner edit ${node.id} --from-file ${edited.file}`,
      });
    }
    drop = () => edited.drop();
    return form.texts;
  };
  return { write, drop: () => drop() };
}
