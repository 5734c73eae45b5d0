/** `runner questions` and `runner answer`: what sessions asked, and a person's answer as a commit. */
import { loadInput } from '../../adapters/processes/editor.ts';
import { answerOrQueue } from '../../app/person/queue.ts';
import { loadQuestions } from '../../app/person/questions.ts';
import type { AskedQuestion } from '../../app/person/questions.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { printQueued } from '../steer-output.ts';
import { openPersonProject } from '../wire/person.ts';
import { questionsOfRuns } from '../wire/questions.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  await (call.name === 'answer' ? answer(settings, call) : list(settings, call));
  return exitCodes.ok;
}

interface Shown extends AskedQuestion {
  /** Null: the run of this folder. */
  readonly run_id: string | null;
}

async function list(settings: Settings, call: CommandCall): Promise<void> {
  const project = await openPersonProject(settings);
  const own = await loadQuestions(project);
  const runs = await questionsOfRuns(settings, project.projectDir);
  const all: readonly Shown[] = [
    ...own.map((question) => ({ ...question, run_id: null })),
    ...runs.flatMap(({ run_id, questions }) => questions.map((question) => ({ ...question, run_id }))),
  ];
  const shown = call.options['all'] === true ? all : all.filter(isOpen);
  const open = all.filter(isOpen).length;
  const answered = all.length - open;
  const lines = [...shown.map(lineOf), `questions: open=${open} answered=${answered}`];
  const questions = shown.map(({ id, text, is_answered, answer: given, run_id }) => {
    return { id, text, answered: is_answered, answer: given, run_id };
  });
  printLine(settings, lines.join('\n'), { command: 'questions', open, answered, questions });
  if (settings.quiet) return;
  if (own.some(isOpen)) settings.streams.err('answer one: runner answer <id> <text>\n');
  for (const { run_id, directory, questions: asked } of runs) {
    if (!asked.some(isOpen)) continue;
    settings.streams.err(`answer one of ${run_id}: runner -C ${shellWord(directory)} answer <id> <text>\n`);
  }
}

function isOpen({ is_answered }: AskedQuestion): boolean {
  return !is_answered;
}

function lineOf({ id, text, is_answered, answer: given, run_id }: Shown): string {
  const asker = run_id === null ? '' : `run=${run_id} `;
  const oneLine = (words: string): string => cleanLine(words.replaceAll('\n', ' '));
  const question = `question: ${asker}id=${id} status=${is_answered ? 'answered' : 'open'} ${oneLine(text)}`;
  return given === null ? question : `${question}\nanswer: ${asker}id=${id} ${oneLine(given)}`;
}

async function answer(settings: Settings, call: CommandCall): Promise<void> {
  const [id = '', given = ''] = call.args;
  const text = given === '-' ? await loadInput('-', settings.directory, 'runner answer --help') : given;
  const project = await openPersonProject(settings);
  const outcome = await answerOrQueue(project, { id, text });
  if ('kind' in outcome) {
    printQueued(settings, 'answer', outcome);
    return;
  }
  const { run_id, question, commit } = outcome;
  if (!settings.quiet) settings.streams.err(`${id}: ${cleanLine(question.replaceAll('\n', ' '))}\n`);
  printLine(settings, `answer: run=${run_id} id=${id} commit=${commit}`, { command: 'answer', ...outcome });
}
