/** Finds the position of a problem in the text of a case file. It trusts that a parser has accepted the text, and changes nothing. */
import { placeAt } from '../../core/text/text-place.ts';
import type { TextPlace } from '../../core/text/text-place.ts';
import { scanToml } from '../../core/text/toml-scan.ts';

interface Spot {
  readonly path: readonly (string | number)[];
  readonly at: number;
}

/** The line of the key, else of the nearest table around it; null when the file does not speak of it at all. */
export function findCasePlace(text: string, path: readonly (string | number)[]): TextPlace | null {
  let nearest: Spot | null = null;
  for (const spot of spotsOf(text)) {
    const isAround = spot.path.every((part, at) => part === path[at]);
    if (isAround && spot.path.length > (nearest?.path.length ?? 0)) nearest = spot;
  }
  return nearest === null ? null : placeAt(text, nearest.at);
}

/** Headers and keys in their order. `[[checks]]` are counted; a table below one belongs to the last of them. */
function spotsOf(text: string): readonly Spot[] {
  const spots: Spot[] = [];
  let checks = -1;
  let headerAt = 0;
  for (const table of scanToml(text)) {
    const [first, ...rest] = table.path;
    if (first === 'checks' && rest.length === 0) checks += 1;
    const path = first === 'checks' ? [first, checks, ...rest] : table.path;
    if (first !== undefined) spots.push({ path, at: text.indexOf('[', headerAt) });
    for (const entry of table.entries)
      spots.push({ path: [...path, ...entry.path.slice(table.path.length)], at: entry.start });

    headerAt = table.end;
  }
  return spots;
}
