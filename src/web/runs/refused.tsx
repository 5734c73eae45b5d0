/** Why a change was refused, with the command that helps. */
import type { VNode } from 'preact';
import type { Failure } from '../source.ts';
import { Words } from '../words.tsx';

export function Refused({ failure }: { readonly failure: Failure | null }): VNode | null {
  if (failure === null) return null;
  return (
    <p class="refused" role="alert">
      <Words text={failure.message} max={500} />
      {failure.hint !== '' && (
        <>
          {' '}
          (<Words text={failure.hint} max={300} />)
        </>
      )}
    </p>
  );
}
