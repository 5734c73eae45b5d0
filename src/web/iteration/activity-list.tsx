/** What agents did, as a list of readable lines; a line with more behind it can be opened. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ActivityItem } from './activity.ts';
import { renderTime } from '../format.ts';
import { Line, Words } from '../words.tsx';

const signs: Readonly<Record<ActivityItem['kind'], string>> = {
  message: '“',
  reasoning: '…',
  answer: '⇥',
  tool_call: '$',
  tool_result: '✕',
  file_edit: '✎',
  error: '✕',
  retry: '↻',
  denied: '⊘',
  usage: '·',
  finished: '·',
};

const names: Readonly<Record<ActivityItem['kind'], string>> = {
  message: 'message',
  reasoning: 'thinking',
  answer: 'answer',
  tool_call: 'tool',
  tool_result: 'failed',
  file_edit: 'edit',
  error: 'error',
  retry: 'waiting',
  denied: 'refused',
  usage: 'usage',
  finished: 'finished',
};

export function ActivityList({ items }: { readonly items: readonly ActivityItem[] }): VNode {
  return (
    <ol class="activity">
      {items.map((item) => (
        <ActivityRow key={item.key} item={item} />
      ))}
    </ol>
  );
}

function ActivityRow({ item }: { readonly item: ActivityItem }): VNode {
  const [isOpen, setOpen] = useState(false);
  const { text } = item;
  // The sign says it already.
  const line =
    item.kind === 'tool_call' ? item.line.replace(/^\$ /u, '') : item.line.replace(/^thinking: /u, '');
  return (
    <li class={`activity-row is-${item.kind}${item.isBad ? ' is-bad' : ''}`}>
      <time class="muted" dateTime={item.at}>
        {renderTime(item.at)}
      </time>
      <span class="activity-sign" aria-hidden="true">
        {signs[item.kind]}
      </span>
      <span class="sr-only">{names[item.kind]}</span>
      {text === null ? (
        <Line text={line} />
      ) : (
        <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? (
            <span class="prose">
              <Words text={text} max={20_000} />
            </span>
          ) : (
            <Line text={line} />
          )}
        </button>
      )}
    </li>
  );
}
