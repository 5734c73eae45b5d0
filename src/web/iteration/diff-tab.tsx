/** What an iteration changed, file by file. Long files are opened on demand, so that a large patch stays quick. */
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { IterationAnswer } from '../../core/views/web-api.ts';
import { parseDiff } from './diff.ts';
import type { DiffFile, DiffLine } from './diff.ts';
import { plural, renderBytes } from '../format.ts';
import { Empty, Failed, Loading } from '../parts.tsx';
import { useText } from './use-text.ts';
import { Line, Words } from '../words.tsx';

const openFilesMax = 20;
const openLinesMax = 400;
const linesStep = 1000;
const lineLengthMax = 1000;

export function DiffTab({
  path,
  answer,
}: {
  readonly path: string;
  readonly answer: IterationAnswer;
}): VNode {
  const { text, left, failure } = useText(path);
  const files = useMemo(() => parseDiff(text ?? ''), [text]);
  if (failure !== null && failure.code !== 'not_found') return <Failed failure={failure} />;
  if (text === null && failure === null) return <Loading />;
  if (files.length === 0) {
    return (
      <Empty title={answer.meta === null ? 'No difference yet' : 'Nothing was changed'}>
        {answer.is_running
          ? 'It is written when the iteration ends.'
          : answer.meta === null
            ? 'The iteration is not finished. Finish it with: runner step'
            : 'This iteration changed no file outside .runner/.'}
      </Empty>
    );
  }
  const sum = (pick: (file: DiffFile) => number): number =>
    files.reduce((total, file) => total + pick(file), 0);
  return (
    <div class="text-page diff" tabIndex={0} role="region" aria-label="Differences">
      <p class="muted">
        {plural(files.length, 'file')}, <span class="added">+{sum((file) => file.additions)}</span>{' '}
        <span class="removed">−{sum((file) => file.deletions)}</span>
        {left > 0 && `, and ${renderBytes(left)} that are not shown`}
      </p>
      {files.slice(0, 500).map((file, index) => (
        <FilePart
          key={index}
          file={file}
          isOpenAtFirst={index < openFilesMax && file.lines.length <= openLinesMax}
        />
      ))}
      {files.length > 500 && <p class="muted">{plural(files.length - 500, 'more file')}</p>}
    </div>
  );
}

function FilePart({
  file,
  isOpenAtFirst,
}: {
  readonly file: DiffFile;
  readonly isOpenAtFirst: boolean;
}): VNode {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const [shown, setShown] = useState(linesStep);
  return (
    <section class="diff-file">
      <h2>
        <button type="button" class="plain diff-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
          <span class="mono diff-path">
            {file.oldPath !== null && (
              <>
                <Line text={file.oldPath} /> →{' '}
              </>
            )}
            <Line text={file.path} />
          </span>
          {file.kind !== 'changed' && <span class="tag">{file.kind}</span>}
          {file.isBinary && <span class="tag">binary</span>}
          <span class="number added">+{file.additions}</span>
          <span class="number removed">−{file.deletions}</span>
        </button>
      </h2>
      {isOpen && (
        <div
          class="diff-lines"
          role="region"
          aria-label={`Changes of ${file.path.slice(0, 200)}`}
          tabIndex={0}
        >
          {file.lines.slice(0, shown).map((line, index) => (
            <DiffRow key={index} line={line} />
          ))}
        </div>
      )}
      {isOpen && file.lines.length > shown && (
        <button type="button" onClick={() => setShown(shown + linesStep)}>
          Show {Math.min(linesStep, file.lines.length - shown)} more lines of {file.lines.length}
        </button>
      )}
    </section>
  );
}

const signs: Readonly<Record<DiffLine['kind'], string>> = {
  add: '+',
  del: '-',
  same: ' ',
  hunk: '',
  note: '',
};

function DiffRow({ line }: { readonly line: DiffLine }): VNode {
  return (
    <div class={`diff-line is-${line.kind}`}>
      <span class="diff-number">{line.oldNumber ?? ''}</span>
      <span class="diff-number">{line.newNumber ?? ''}</span>
      <span class="diff-sign">{signs[line.kind]}</span>
      <span class="diff-text">
        <Words text={line.text} max={lineLengthMax} />
      </span>
    </div>
  );
}
