/** A text that agents or people wrote as Markdown: rendered, or as it was written. Text nodes only; an address is shown and leads nowhere. */
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { cutText } from '../core/text/visible.ts';
import { CopyButton } from './copy.tsx';
import { parseMarkdown } from './markdown.ts';
import type { Block, Span } from './markdown.ts';
import { Prose, Words } from './words.tsx';

const blocksMax = 5000;

interface MarkdownProps {
  readonly text: string;
  readonly max: number;
}

export function Markdown({ text, max }: MarkdownProps): VNode {
  const cut = cutText(text, max);
  const blocks = useMemo(() => parseMarkdown(cut.text), [cut.text]);
  const left = Math.max(0, blocks.length - blocksMax);
  return (
    <div class="markdown">
      {blocks.slice(0, blocksMax).map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
      {cut.left > 0 && <p class="cut-mark">… {cut.left.toLocaleString('en-US')} more characters</p>}
      {left > 0 && <p class="cut-mark">… {left.toLocaleString('en-US')} more parts: see it as written</p>}
    </div>
  );
}

/** With a switch between the two. */
export function MarkdownOrText({ text, max }: MarkdownProps): VNode {
  const [isPlain, setPlain] = useState(false);
  return (
    <>
      <div class="log-bar">
        <button type="button" aria-pressed={isPlain} onClick={() => setPlain(!isPlain)}>
          Source
        </button>
        <CopyButton text={() => text} label="Copy" what="the text" />
      </div>
      {isPlain ? <Prose text={text} max={max} /> : <Markdown text={text} max={max} />}
    </>
  );
}

function BlockView({ block }: { readonly block: Block }): VNode {
  switch (block.kind) {
    case 'heading':
      // The page has headings of its own; these are text of somebody else.
      return (
        <p class={`md-heading is-${Math.min(block.level, 4)}`}>
          <Spans spans={block.spans} />
        </p>
      );
    case 'paragraph':
      return (
        <p>
          <Spans spans={block.spans} />
        </p>
      );
    case 'quote':
      return (
        <blockquote>
          <Spans spans={block.spans} />
        </blockquote>
      );
    case 'item':
      return (
        <p class={`md-item is-${block.depth}`}>
          <span class="md-mark">{block.mark}</span>
          <span>
            <Spans spans={block.spans} />
          </span>
        </p>
      );
    case 'code':
      return (
        <pre>
          <Words text={block.text} max={100_000} />
        </pre>
      );
    case 'rule':
      return <hr />;
  }
}

function Spans({ spans }: { readonly spans: readonly Span[] }): VNode {
  return (
    <>
      {spans.map((span, index) => (
        <SpanView key={index} span={span} />
      ))}
    </>
  );
}

function SpanView({ span }: { readonly span: Span }): VNode {
  const words = <Words text={span.text} max={100_000} />;
  switch (span.kind) {
    case 'text':
      return words;
    case 'code':
      return <code>{words}</code>;
    case 'strong':
      return <strong>{words}</strong>;
    case 'emphasis':
      return <em>{words}</em>;
    case 'link':
      return (
        <>
          {words}{' '}
          <span class="muted">
            (<Words text={span.address} max={2000} />)
          </span>
        </>
      );
  }
}
