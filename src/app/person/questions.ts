/** `runner questions` and `runner answer` (§12): what sessions asked, with ids that stay, and a person's answer as one commit. */
import { findAnswer, numberQuestions, renderAnswer } from '../../core/agents/questions.ts';
import type { Question } from '../../core/agents/questions.ts';
import { RunnerError } from '../../core/errors.ts';
import { parseIterationSubject } from '../../core/iteration/commit-message.ts';
import { memoryFiles } from '../../core/iteration/initial-files.ts';
import { answerMessage } from '../../core/runs/person-message.ts';
import type { Refusal } from '../../core/tree/person-edit.ts';
import type { ConfigStore } from '../../ports/stores.ts';
import { requireCleanFile, requireRepository, requireRun, saveAndCommit } from './commit.ts';
import type { PersonPorts, RunPlace } from './commit.ts';

const questionsPath = 'state/questions.md';
export const answersPath = 'state/answers.md';

export interface AskedQuestion extends Question {
  readonly is_answered: boolean;
  /** Null: open. */
  readonly answer: string | null;
}

/** From what is committed: what a session at work writes may still change, and has no number yet. */
export async function loadQuestions(ports: PersonPorts): Promise<readonly AskedQuestion[]> {
  const { git } = requireRepository(ports);
  const { run_id } = await ports.runStates.load();
  const found = await git.listFileVersions({ path: `.runner/${questionsPath}`, at: 'HEAD' });
  const texts = await git.loadBlobTexts(found.flatMap(({ oid }) => oid ?? []));
  const questions = numberQuestions(
    found.map(({ subject, oid }) => {
      const iteration = parseIterationSubject(subject);
      return {
        iter: iteration !== null && iteration.run_id === run_id ? iteration.iter : 0,
        text: oid === null ? '' : (texts.get(oid) ?? ''),
      };
    }),
  );
  const answers = await git.loadText({ commit: 'HEAD', path: `.runner/${answersPath}` });
  const answered = answers.kind === 'text' ? answers.text : '';
  return questions.map((question) => {
    const answer = findAnswer(answered, question.text);
    return { ...question, is_answered: answer !== null, answer };
  });
}

export interface AnswerOutcome {
  readonly run_id: string;
  readonly id: string;
  readonly question: string;
  readonly commit: string;
}

export interface AnswerRequest {
  readonly id: string;
  readonly text: string;
}

export type AnswerPorts = PersonPorts & { readonly configs: ConfigStore };

/** Contract: the lock is held. */
export async function answerQuestion(ports: AnswerPorts, request: AnswerRequest): Promise<AnswerOutcome> {
  const place = await requireRun(ports);
  await requireCleanFile(place, `.runner/${answersPath}`);
  const done = await commitAnswer(ports, place, { ...request, entryId: null });
  if (!done.ok) throw new RunnerError(done);
  return done.outcome;
}

/** Contract: answers.md is as it is committed. `entryId`: of the queue, for the trailer; null: it comes from the command line. */
export async function commitAnswer(
  ports: AnswerPorts,
  place: RunPlace,
  { entryId, ...request }: AnswerRequest & { readonly entryId: string | null },
): Promise<{ readonly ok: true; readonly outcome: AnswerOutcome } | Refusal> {
  const asked = await findAsked(ports, request);
  if (!asked.ok) return asked;
  const { question } = asked;
  const source = await ports.workspace.load(answersPath);
  const before = source.kind === 'text' ? source.text : memoryFiles[answersPath];
  const gap = before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  const { git } = await ports.configs.load();
  const commit = await saveAndCommit(ports, place, {
    files: { [answersPath]: `${before}${gap}${renderAnswer(question, request.text)}` },
    message: answerMessage(question.id, entryId),
    sign: git.sign,
  });
  const outcome = { run_id: place.run_id, id: question.id, question: question.text, commit };
  return { ok: true, outcome };
}

/** The question that an answer is for, or why there is nothing to write. */
export async function findAsked(
  ports: PersonPorts,
  { id, text }: AnswerRequest,
): Promise<{ readonly ok: true; readonly question: Question } | Refusal> {
  if (text.trim() === '') {
    const hint = `runner answer ${id} <text>`;
    return { ok: false, code: 'USAGE', message: 'the answer is empty', hint };
  }
  const question = (await loadQuestions(ports)).find((one) => one.id === id);
  if (question !== undefined) return { ok: true, question };
  const message = `there is no question '${id}'`;
  return { ok: false, code: 'USAGE', message, hint: 'runner questions --all' };
}
