/** *Memory*: notes that agents wrote for people and for each other. */
import type { VNode } from 'preact';
import type { MemoryAnswer, MemoryText } from '../core/views/web-api.ts';
import { renderBytes } from './format.ts';
import { Card, Empty, Failed, Loading } from './parts.tsx';
import { useMemory } from './store.ts';
import { Markdown } from './markdown-view.tsx';

const parts: readonly (readonly [keyof MemoryAnswer, string, string])[] = [
  ['questions', 'Questions', 'Agents append what they want to know. Answer with: runner answer'],
  ['feedback', 'Feedback', 'Write .runner/state/feedback.md; the next session reads it.'],
  ['assumptions', 'Assumptions', 'Agents note their assumptions here.'],
  ['improvements', 'Improvements', 'Agents note ideas for later here.'],
];

export function MemoryPage(): VNode {
  const { value, failure } = useMemory();
  if (value === null) return failure === null ? <Loading /> : <Failed failure={failure} />;
  return (
    <div class="memory-page">
      {parts.map(([key, title, advice]) => (
        <Card key={key} title={title} extra={<span class="muted mono">{key}.md</span>}>
          <Part part={value[key]} advice={advice} />
        </Card>
      ))}
    </div>
  );
}

function Part({ part, advice }: { readonly part: MemoryText | null; readonly advice: string }): VNode {
  if (part === null || isBare(part.text)) return <Empty title="Empty">{advice}</Empty>;
  return (
    <>
      <Markdown text={part.text.trim()} max={200_000} />
      {part.bytes > 4096 && <p class="muted">{renderBytes(part.bytes)}</p>}
    </>
  );
}

/** Nothing but the heading that `init` wrote. */
function isBare(text: string): boolean {
  return text.split('\n').every((line) => line.trim() === '' || line.startsWith('# '));
}
