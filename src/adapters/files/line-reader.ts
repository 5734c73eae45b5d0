/** Splits chunks of text into lines. A line longer than the bound is cut, so a flood without newlines needs little memory. */

/** A record may hold an answer of several megabytes twice, as claude's `result` does. */
const lineLengthMax = 32 * 1024 * 1024;

export function lineReader(onLine: (line: string) => void): (chunk: string) => void {
  let rest: string[] = [];
  let restLength = 0;
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      onLine([...rest, chunk.slice(start, end)].join(''));
      rest = [];
      restLength = 0;
      start = end + 1;
    }
    if (restLength < lineLengthMax) {
      rest.push(chunk.slice(start));
      restLength += chunk.length - start;
    }
  };
}
