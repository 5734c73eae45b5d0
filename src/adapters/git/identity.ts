/** Who commits, as git works it out from settings, environment and machine. Asked once in a process. */
import type { Repo } from './repo.ts';
import { textOf } from './repo.ts';

export interface CommitIdentity {
  /** `Name <address>`. */
  readonly author: string;
  readonly committer: string;
  /** Distance from UTC as git writes it, `+0100`. */
  readonly zone: string;
}

/** Strict: git refuses here exactly when a commit would fail. */
export async function checkIdentity(repo: Repo): Promise<void> {
  const [author, committer] = await Promise.all(
    ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT'].map(async (name) =>
      parseIdent(textOf((await repo.git(['var', name])).stdout)),
    ),
  );
  repo.memory.identity =
    author === null || author === undefined || committer === null || committer === undefined
      ? null
      : { author: author.who, committer: committer.who, zone: committer.zone };
}

/** Null also for a name that is no UTF-8: git knows what to make of it. */
function parseIdent(ident: string): { readonly who: string; readonly zone: string } | null {
  const [, who, zone] = /^([^\0\n\uFFFD]*<[^\0\n\uFFFD]*>) \d+ ([+-]\d{4})$/.exec(ident) ?? [];
  return who === undefined || zone === undefined ? null : { who, zone };
}
