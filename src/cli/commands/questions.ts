/** `runner questions` and `runner answer`: what sessions asked, and a person's answer as a commit. */
import { loadInput } from '../../adapters/processes/editor.ts';
import { answerQuestion, loadQuestions } from '../../app/person/questions.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { openPersonProject } from '../wire/person.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  await (call.name === 'answer' ? answer(settings, call) : list(settings, call));
  return exitCodes.ok;
}

async function list(settings: Settings, call: CommandCall): Promise<void> {
  const all = await loadQuestions(await openPersonProject(settings));
  const shown = call.options['all'] === true ? all : all.filter(({ is_answered }) => !is_answered);
  const open = all.filter(({ is_answered }) => !is_answered).length;
  const lines = shown.map(
    ({ id, text, is_answered }) =>
      `question: id=${id} status=${is_answered ? 'answered' : 'open'} ${cleanLine(text.replaceAll('\n', ' '))}`,
  );
  const end = `questions: open=${open} answered=${all.length - open}`;
  printLine(settings, [...lines, end].join('\n'), {
    command: 'questions',
    open,
    answered: all.length - open,
    questions: shown.map(({ id, text, is_answered }) => ({ id, text, answered: is_answered })),
  });
  if (!settings.quiet && open > 0) settings.streams.err('answer one: runner answer <id> <text>\n');
}

async function answer(settings: Settings, call: CommandCall): Promise<void> {
  const [id = '', given = ''] = call.args;
  const text = given === '-' ? await loadInput('-', settings.directory) : given;
  const project = await openPersonProject(settings);
  const outcome = await project.withLock('runner answer', () => answerQuestion(project, { id, text }));
  const { run_id, question, commit } = outcome;
  if (!settings.quiet) settings.streams.err(`${id}: ${cleanLine(question.replaceAll('\n', ' '))}\n`);
  printLine(settings, `answer: run=${run_id} id=${id} commit=${commit}`, { command: 'answer', ...outcome });
}
