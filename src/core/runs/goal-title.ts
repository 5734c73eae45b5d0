/** The title of a goal: its first heading, else its first line of text. Decides nothing else about the goal. */
import { cleanLine } from '../text/terminal-text.ts';

const titleCharsMax = 200;

/** Empty when the goal has no text. `body`: without the front matter. */
export function goalTitle(body: string): string {
  const lines = body.split('\n').map((line) => cleanLine(line).trim());
  const heading = lines.find((line) => /^#{1,6} \S/u.test(line)) ?? lines.find((line) => line !== '') ?? '';
  return heading
    .replace(/^#+ */u, '')
    .replace(/ +#+$/u, '')
    .slice(0, titleCharsMax);
}
