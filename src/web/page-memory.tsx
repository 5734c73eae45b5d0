/** *Memory*: notes that agents wrote for people and for each other; open questions with the command that answers each. */
import type { VNode } from 'preact';
import type { MemoryAnswer, MemoryText } from '../core/views/web-api.ts';
import { renderBytes } from './format.ts';
import { Card, Empty, Failed, Loading } from './parts.tsx';
import { OpenQuestion } from './now-result.tsx';
import { useMemory, useProject } from './store.ts';
import { Markdown } from './markdown-view.tsx';

const questionsShownMax = 100;

/** The card has a heading of its own. */
const ownHeading = /^# (?:Open )?(?:Questions|Feedback|Assumptions|Improvements)\n+/u;

const parts: readonly (readonly [keyof MemoryAnswer, string, string])[] = [
  ['questions', 'Questions', 'Agents ask here what only a person can know.'],
  ['feedback', 'Feedback', 'Agents note mistakes and lessons here; the next session reads them.'],
  ['assumptions', 'Assumptions', 'Agents note here what they assumed.'],
  ['improvements', 'Improvements', 'Agents note ideas for better tools and prompts here.'],
];

export function MemoryPage(): VNode {
  const { value, failure } = useMemory();
  if (value === null) return failure === null ? <Loading /> : <Failed failure={failure} />;
  return (
    <div class="memory-page">
      {parts.map(([key, title, advice]) => (
        <Card key={key} title={title} extra={<span class="muted mono">{key}.md</span>}>
          {key === 'questions' ? (
            <Questions part={value[key]} advice={advice} />
          ) : (
            <Part part={value[key]} advice={advice} />
          )}
        </Card>
      ))}
    </div>
  );
}

interface PartProps {
  readonly part: MemoryText | null;
  readonly advice: string;
}

/** The open ones; the file has the answered ones, too, and those that have no number yet. */
function Questions(props: PartProps): VNode {
  const { value: project } = useProject();
  const open = project?.questions ?? [];
  if (open.length === 0) return <Part {...props} />;
  return (
    <>
      <ul class="questions">
        {open.slice(-questionsShownMax).map((question) => (
          <OpenQuestion key={question.id} question={question} />
        ))}
      </ul>
      <details>
        <summary class="muted">The file as written</summary>
        <Part {...props} />
      </details>
    </>
  );
}

function Part({ part, advice }: PartProps): VNode {
  if (part === null || isBare(part.text)) return <Empty title="Empty">{advice}</Empty>;
  return (
    <>
      <Markdown text={part.text.trim().replace(ownHeading, '')} max={200_000} />
      {part.bytes > 4096 && <p class="muted">{renderBytes(part.bytes)}</p>}
    </>
  );
}

/** Nothing but the heading that `init` wrote. */
function isBare(text: string): boolean {
  return text.split('\n').every((line) => line.trim() === '' || line.startsWith('# '));
}
