/**
 * Reads GOAL.md and sets its front-matter id (§11). Front matter is real YAML; apart from the id's own value every byte of the
 * file stays as it is.
 */
import type { ParsedNode } from 'yaml';
import { isMap, isScalar, parseDocument } from 'yaml';
import { RunnerError } from '../errors.ts';
import { checkGoalId } from './goal-id.ts';
import { placeAt, renderProblem, withPath } from '../text/text-place.ts';
import type { Goal } from '../types.ts';

/** A span of the file and its content. */
interface Front {
  /** The YAML between the two `---` lines; null when the file has none. */
  readonly block: { readonly start: number; readonly text: string } | null;
  readonly bodyStart: number;
}

/** The id and the span of its value, or where an id would go. */
interface IdSpan {
  readonly id: string | null;
  readonly start: number;
  readonly end: number;
  /** Text to put around a new value. */
  readonly before: string;
  readonly after: string;
}

export function parseGoal(text: string): Goal {
  const front = parseFront(text);
  const { id } = parseId(text, front);
  return { id, body: text.slice(front.bodyStart) };
}

/** The same text with that id. */
export function setGoalId(text: string, id: string): string {
  const problem = checkGoalId(id);
  if (problem !== null) throw goalInvalid(text, 0, problem);
  const front = parseFront(text);
  const place = parseId(text, front);
  if (place.id === id) return text;
  const body = text.slice(front.bodyStart);
  // A word YAML reads as something else (`null`) needs quotes.
  for (const value of [id, `"${id}"`]) {
    const changed = text.slice(0, place.start) + place.before + value + place.after + text.slice(place.end);
    if (holds(changed, { id, body })) return changed;
  }
  throw goalInvalid(text, place.start, `the id cannot be changed to '${id}' in this front matter`);
}

function parseFront(text: string): Front {
  if (text.startsWith('\ufeff')) throw goalInvalid(text, 0, 'the file starts with a byte order mark');
  const opening = /^---[ \t]*(?:\r?\n|$)/u.exec(text);
  if (opening === null) return { block: null, bodyStart: 0 };
  const start = opening[0].length;
  const closing = /(?<![^\n])---[ \t]*(?:\r?\n|$)/u.exec(text.slice(start));
  if (closing === null)
    throw goalInvalid(text, 0, "the front matter that starts here has no closing '---' line");
  return {
    block: { start, text: text.slice(start, start + closing.index) },
    bodyStart: start + closing.index + closing[0].length,
  };
}

function parseId(text: string, { block }: Front): IdSpan {
  const eol = /^[^\n]*\r\n/u.test(text) ? '\r\n' : '\n';
  if (block === null) return { ...at(0), before: `---${eol}id: `, after: `${eol}---${eol}` };
  const document = parseDocument(block.text, { prettyErrors: false, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) throw goalInvalid(text, block.start + error.pos[0], error.message);
  const map = document.contents;
  if (map === null) return { ...at(block.start), before: 'id: ', after: eol };
  const start = block.start + map.range[0];
  if (!isMap(map)) throw goalInvalid(text, start, 'the front matter must be `key: value` lines');
  const pair = map.items.find(({ key }) => isScalar(key) && key.value === 'id');
  if (pair !== undefined) {
    const keyEnd = block.start + pair.key.range[1];
    return pair.value === null
      ? { ...at(keyEnd), before: ': ', after: '' }
      : readValue(text, { value: pair.value, blockStart: block.start });
  }
  if (map.flow === true) return { ...at(start + 1), before: 'id: ', after: ', ' };
  const lineStart = text.lastIndexOf('\n', start) + 1;
  const indent = text.slice(lineStart, start).replace(/[^ ].*$/u, '');
  return { ...at(lineStart), before: `${indent}id: `, after: eol };
}

/** A place for an id where there is none. */
function at(start: number): { readonly id: null; readonly start: number; readonly end: number } {
  return { id: null, start, end: start };
}

interface ValueInput {
  readonly value: ParsedNode;
  readonly blockStart: number;
}

function readValue(text: string, { value, blockStart }: ValueInput): IdSpan {
  const start = blockStart + value.range[0];
  if (!isScalar(value)) throw goalInvalid(text, start, 'id must be one word, not a list, map or alias');
  const end = start + text.slice(start, blockStart + value.range[1]).trimEnd().length;
  const before = text[start - 1] === ' ' ? '' : ' ';
  const after = text[end] === '#' ? ' ' : '';
  // `id: 123` means the three characters: for what is no string to YAML the source counts.
  const id = value.value === null ? '' : value.source.trim();
  if (id === '') return { id: null, start, end, before, after };
  const problem = checkGoalId(id);
  if (problem !== null) throw goalInvalid(text, start, problem);
  return { id, start, end, before, after };
}

function holds(text: string, goal: Goal): boolean {
  try {
    const { id, body } = parseGoal(text);
    return id === goal.id && body === goal.body;
  } catch {
    return false;
  }
}

function goalInvalid(text: string, index: number, problem: string): RunnerError {
  return new RunnerError({
    code: 'GOAL_INVALID',
    message: withPath('.runner/GOAL.md', renderProblem(placeAt(text, index), problem)),
    hint: 'edit .runner/GOAL.md, then: runner validate',
  });
}
