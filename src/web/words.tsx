/** Text from outside on the page: text nodes only, hidden characters named, long text cut, its direction isolated. */
import type { VNode } from 'preact';
import { cutText, splitVisible } from '../core/text/visible.ts';

const lengthMaxUsual = 2000;

interface WordsProps {
  readonly text: string;
  readonly max?: number;
}

export function Words({ text, max = lengthMaxUsual }: WordsProps): VNode {
  const cut = cutText(text, max);
  return (
    <bdi>
      {splitVisible(cut.text).map((piece, index) =>
        piece.isMark ? (
          <span class="hidden-mark" key={index}>
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
      {cut.left > 0 && <span class="cut-mark"> … {cut.left.toLocaleString('en-US')} more characters</span>}
    </bdi>
  );
}

/** Words on one line, cut by the browser where there is no room. */
export function Line({ text, max = 400 }: WordsProps): VNode {
  return (
    <span class="line">
      <Words text={text.replaceAll(/[\t\n\r]+/gu, ' ')} max={max} />
    </span>
  );
}

/** Paragraphs as written. */
export function Prose({ text, max = 100_000 }: WordsProps): VNode {
  return (
    <div class="prose">
      <Words text={text} max={max} />
    </div>
  );
}
