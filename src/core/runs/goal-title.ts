/** The title of a goal: its first heading that says something, else its first line of text. Decides nothing else about the goal. */
import { cleanLine } from '../text/terminal-text.ts';

const titleCharsMax = 200;
/** What `init` writes above the goal: it says nothing about it. */
const emptyTitle = /^(?:the )?goal[:.]?$/i;

/** Empty when the goal has no text. `body`: without the front matter. */
export function goalTitle(body: string): string {
  const lines = body.split('\n').map((line) => cleanLine(line).trim());
  const said = lines
    .map((line) => ({
      text: line.replace(/^#+ */u, '').replace(/ +#+$/u, ''),
      isHeading: /^#+ /u.test(line),
    }))
    .filter(({ text }) => text !== '' && !emptyTitle.test(text));
  const title = said.find(({ isHeading }) => isHeading) ?? said[0];
  return title === undefined ? '' : title.text.slice(0, titleCharsMax);
}
