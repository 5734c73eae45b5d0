/** Questions of agents with a field for each answer. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { QuestionView } from '../../core/views/control-api.ts';
import { token } from '../control.ts';
import { Words } from '../words.tsx';
import { Refused } from './refused.tsx';
import { useAction } from './use-action.ts';

interface QuestionListProps {
  readonly questions: readonly QuestionView[];
  /** Null: the run of the folder itself. */
  readonly run: string | null;
}

export function QuestionList({ questions, run }: QuestionListProps): VNode {
  return (
    <ul class="questions">
      {questions.map((question) => (
        <li key={question.id}>
          <Words text={question.text} max={2000} />
          {question.is_answered ? (
            <span class="muted"> (answered)</span>
          ) : (
            token.value !== null && <AnswerForm question={question} run={run} />
          )}
        </li>
      ))}
    </ul>
  );
}

function AnswerForm({
  question,
  run,
}: {
  readonly question: QuestionView;
  readonly run: string | null;
}): VNode {
  const [text, setText] = useState('');
  const [isQueued, setQueued] = useState(false);
  const { isBusy, failure, act } = useAction();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const done = await act(`/api/questions/${encodeURIComponent(question.id)}/answer`, { text, run_id: run });
    setQueued(done?.is_queued === true);
  };
  if (isQueued) return <span class="muted"> (your answer waits for the next iteration)</span>;
  return (
    <form class="answer-form" onSubmit={(event) => void submit(event)}>
      <input
        type="text"
        aria-label={`Answer to question ${question.id}`}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" disabled={isBusy || text.trim() === ''}>
        Answer
      </button>
      <Refused failure={failure} />
    </form>
  );
}
