/** What to do about a runner that is at work where somebody else wants to work. Pure. */
import { shellWord } from '../text/shell-word.ts';

/** A loop ends by itself when it is asked to; of another command nothing gentler than a signal is known. `at`: its folder; null: here. */
export function renderHolderHint(
  { command, pid }: { readonly command: string; readonly pid: number },
  at: string | null,
): string {
  if (!/^runner loop\b/u.test(command)) return `wait until it is done, or stop it: kill ${pid}`;
  const where = at === null ? '' : ` -C ${shellWord(at)}`;
  return `wait until it is done, or let it stop after its iteration: runner${where} pause --wait`;
}
