/** Decides who may send requests: anyone on this machine; if others can reach the port, only clients with the token. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { errorAnswer } from './answers.ts';
import type { Answer } from './answers.ts';

export interface Access {
  /** Null: none is needed. */
  readonly token: string | null;
  /** Null: may go on. The token in an address becomes a cookie, and the address is asked for again without it. */
  readonly check: (asked: {
    readonly path: string;
    readonly query: string;
    readonly cookies: string;
  }) => Answer | null;
}

/** A random word that only the person who started the server knows. */
export interface Token {
  readonly text: string;
  readonly isEqual: (given: string) => boolean;
}

export function openToken(): Token {
  const text = randomBytes(24).toString('base64url');
  return { text, isEqual: (given) => isSame(given, text) };
}

export function openAccess(): Access {
  return { token: null, check: () => null };
}

/** The cookie's name holds the port, because cookies of one host are sent to all of its ports. */
export function tokenAccess(portOf: () => number): Access {
  const { text: token, isEqual } = openToken();
  const nameOf = (): string => `runner_ui_${portOf()}`;
  return {
    token,
    check: ({ path, query, cookies }) => {
      const given = new URLSearchParams(query).get('token');
      if (given !== null && isEqual(given)) {
        const cookie = `${nameOf()}=${token}; Path=/; HttpOnly; SameSite=Strict`;
        return { kind: 'moved', location: path, cookie };
      }
      const prefix = `${nameOf()}=`;
      const found = cookies.split(';').find((each) => each.trim().startsWith(prefix));
      if (found !== undefined && isEqual(found.trim().slice(prefix.length))) return null;
      return errorAnswer(
        403,
        'token_required',
        'this address needs the token that the server printed when it started',
        'open the whole address that runner ui printed',
      );
    },
  };
}

/** Compares hashes, so that the time taken does not reveal how much was right. */
function isSame(given: string, token: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(token));
}
