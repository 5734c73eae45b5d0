/** What agents did, as a list of readable lines; a line with more behind it can be opened. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ActivityItem } from './activity.ts';
import { renderMs, renderTime } from '../format.ts';
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
  const { text, result } = item;
  // The sign says it already.
  const line =
    item.kind === 'tool_call' ? item.line.replace(/^\$ /u, '') : item.line.replace(/^thinking: /u, '');
  const hasMore = text !== null || (result !== null && result.output !== '');
  return (
    <li class={`activity-row is-${item.kind}${item.isBad ? ' is-bad' : ''}`}>
      <time class="muted" dateTime={item.at}>
        {renderTime(item.at)}
      </time>
      <span class="activity-sign" aria-hidden="true">
        {signs[item.kind]}
      </span>
      <span class="sr-only">{names[item.kind]}</span>
      {hasMore ? (
        <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? <Whole item={item} line={line} /> : <Line text={line} />}
        </button>
      ) : (
        <Line text={line} />
      )}
      <Ending item={item} />
    </li>
  );
}

function Whole({ item, line }: { readonly item: ActivityItem; readonly line: string }): VNode {
  const output = item.result?.output ?? '';
  return (
    <>
      <span class="prose">
        <Words text={item.text ?? line} max={20_000} />
      </span>
      {output !== '' && (
        <span class="tool-output">
          <Words text={output} max={20_000} />
        </span>
      )}
    </>
  );
}

/** How often, how it ended, and how long it took. */
function Ending({ item: { times, result, isBad } }: { readonly item: ActivityItem }): VNode | null {
  const failed = result !== null && isBad;
  const words = [
    ...(times > 1 ? [`×${times}`] : []),
    ...(failed ? [result.exit_code === null ? 'failed' : `exit ${result.exit_code}`] : []),
    ...(result?.ms === null || result === null ? [] : [renderMs(result.ms)]),
  ];
  if (words.length === 0) return null;
  return <span class={`activity-end number${failed ? '' : ' muted'}`}>{words.join(' · ')}</span>;
}
