/**
 * Requests for a change that were refused, one line each for the person who runs the server, up to a bound: a flood must not fill a terminal or a
 * log. Accepted ones are in the record of their run; these have no run that could be believed.
 */
import { cleanLine } from '../core/text/terminal-text.ts';

const linesMax = 100;
const pathLengthMax = 200;

export interface Refusals {
  add(refused: {
    readonly at: string;
    readonly method: string;
    readonly path: string;
    readonly status: number;
    readonly code: string;
  }): void;
}

export function refusals(say: (line: string) => void): Refusals {
  let count = 0;
  return {
    add: ({ at, method, path, status, code }) => {
      count += 1;
      if (count > linesMax + 1) return;
      const what = `${at} ${cleanLine(method)} ${cleanLine(path.slice(0, pathLengthMax))} ${status} ${code}`;
      say(
        `refused: ${count > linesMax ? `more than ${linesMax} requests; further ones are not listed` : what}`,
      );
    },
  };
}
