/**
 * What git's answer to a push of the run branch means (§13). A run branch only grows, so a rejected push says that another worker goes on
 * with the run: that is the fence. Everything else that went wrong may be over at the next push.
 */
import type { Stop } from '../iteration/outcome-row.ts';

export type PushAnswer =
  | { readonly kind: 'pushed' }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'failed'; readonly reason: string };

/** What `git push --porcelain` left. */
export interface PushOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface PushPlace {
  readonly remote: string;
  readonly branch: string;
}

/** Only git itself says `[rejected]`, for a branch that has other commits; a server that refuses is `[remote rejected]`. */
export function readPush({ code, stdout, stderr }: PushOutput): PushAnswer {
  if (code === 0) return { kind: 'pushed' };
  const [, verdict, refused] = /^!\t[^\t\n]*\t(\[(?:remote )?rejected\]) ?([^\n]*)$/m.exec(stdout) ?? [];
  if (verdict === '[rejected]') return { kind: 'rejected' };

  const [, said] = /^(?:fatal|error|ssh): ?(\S[^\n]*)$/m.exec(stderr) ?? [];
  return { kind: 'failed', reason: refused ?? said ?? `git push ended with ${code}` };
}

export function fencedStop({ remote, branch }: PushPlace): Stop {
  return {
    kind: 'error',
    code: 'PUSH_REJECTED',
    message: `another worker has pushed other commits to ${branch} on ${remote}; this one stops, and its commits stay on ${branch} here`,
    hint: `git branch "fenced-$(git rev-parse --short HEAD)" && git fetch ${remote} ${branch} && git reset --hard FETCH_HEAD (keeps the commits under that name and takes over the pushed ones)`,
  };
}

export function unpushedStop({ remote, branch }: PushPlace, reason: string): Stop {
  return {
    kind: 'error',
    code: 'PUSH_FAILED',
    message: `the last commits of ${branch} are only here; they could not be pushed to ${remote}: ${reason}`,
    hint: `git push ${remote} ${branch}`,
  };
}

/** The address as people may see it: without a password. */
export function shownAddress(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');
}
