import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RunnerError } from '../../../src/core/errors.ts';
import { parseGoal, setGoalId } from '../../../src/core/config/goal.ts';

function errorOf(run: () => unknown): RunnerError {
  try {
    run();
  } catch (error) {
    if (error instanceof RunnerError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('parseGoal', () => {
  test('[ancestor: goal reads_id_from_frontmatter] the id and the body', () => {
    expect(parseGoal('---\nid: abc-1\ntitle: x\n---\n\n# Goal\n')).toEqual({
      id: 'abc-1',
      body: '\n# Goal\n',
    });
  });

  test.each([
    ['no front matter', '# Goal\n\n---\nid: x\n---\n', null, '# Goal\n\n---\nid: x\n---\n'],
    ['an empty file', '', null, ''],
    ['CRLF', '---\r\nid: x\r\n---\r\nbody\r\n', 'x', 'body\r\n'],
    ['closing line at the end of the file', '---\nid: x\n---', 'x', ''],
    ['an empty block', '---\n---\nbody', null, 'body'],
    ['a block with only a comment', '---\n# nothing\n---\nbody', null, 'body'],
    ['blanks after the dashes', '--- \nid: x\n---\t\nbody', 'x', 'body'],
    ['quotes and a comment', '---\nid: "x.1" # the run\n---\n', 'x.1', ''],
    ['single quotes', "---\n'id': 'x'\n---\n", 'x', ''],
    ['a number', '---\nid: 123\n---\n', '123', ''],
    ['a number that YAML would write differently', '---\nid: 1.0\n---\n', '1.0', ''],
    ['a date', '---\nid: 2024-01-01\n---\n', '2024-01-01', ''],
    ['a boolean', '---\nid: true\n---\n', 'true', ''],
    ['a block text', '---\nid: |\n  x\nb: 1\n---\n', 'x', ''],
    ['no value', '---\nid:\n---\n', null, ''],
    ['null', '---\nid: null\n---\n', null, ''],
    ['an empty text', '---\nid: ""\n---\n', null, ''],
    ['a key without a value in braces', '---\n{id}\n---\n', null, ''],
    ['a nested id', '---\nmeta:\n  id: x\n---\n', null, ''],
    ['a key that is no word', '---\n[id]: x\n---\n', null, ''],
    ['a key that starts with dashes', '---\n---x: 1\nid: x\n---\nbody', 'x', 'body'],
  ])('%s', (_name, text, id, body) => {
    expect(parseGoal(text)).toEqual({ id, body });
  });

  test.each([
    ['invalid YAML', '---\ntitle: [\nid: x\n---\n', 'GOAL.md:3:1: '],
    ['two ids', '---\nid: a\nb: 1\nid: b\n---\n', 'GOAL.md:4:1: '],
    ['a list as id', '---\nb: 1\nid: [x]\n---\n', 'GOAL.md:3:5: id must be one word'],
    ['an alias as id', '---\nb: &b x\nid: *b\n---\n', 'GOAL.md:3:5: id must be one word'],
    ['a list instead of keys', '---\n# c\n- id\n---\n', 'GOAL.md:3:1: the front matter must be'],
    ['a byte order mark', '\ufeff---\nid: x\n---\n', 'GOAL.md:1:1: the file starts with a byte order mark'],
    [
      'a block nobody closes',
      '---\nid: x\n# Goal\n',
      "GOAL.md:1:1: the front matter that starts here has no closing '---' line",
    ],
    ['an id that no branch can have', '---\nb: 1\nid: a..b\n---\n', "GOAL.md:3:5: id must not contain '..'"],
    [
      'an unquoted sentence as id',
      '---\nid: my goal\n---\n',
      "GOAL.md:2:5: id must be [A-Za-z0-9._-] only (got 'my goal')",
    ],
  ])('refuses %s', (_name, text, message) => {
    const error = errorOf(() => parseGoal(text));
    expect(error.code).toBe('GOAL_INVALID');
    expect(error.message).toContain(message);
    expect(error.hint).toContain('runner validate');
  });
});

describe('setGoalId', () => {
  test('[ancestor: goal ensure_goal_id_inserts_frontmatter_when_missing] puts a block before the text', () => {
    expect(setGoalId('# Goal\n', 'x')).toBe('---\nid: x\n---\n# Goal\n');
  });

  test('[ancestor: goal set_frontmatter_id_updates_existing_id] other keys are kept', () => {
    expect(setGoalId('---\ntitle: T # t\nid: old\nz: [1,  2]\n---\n\nbody', 'new')).toBe(
      '---\ntitle: T # t\nid: new\nz: [1,  2]\n---\n\nbody',
    );
  });

  test.each([
    ['CRLF without front matter', '# Goal\r\n', '---\r\nid: new\r\n---\r\n# Goal\r\n'],
    ['an empty file', '', '---\nid: new\n---\n'],
    ['CRLF, another key', '---\r\ntitle: x\r\n---\r\nb', '---\r\nid: new\r\ntitle: x\r\n---\r\nb'],
    ['an empty block', '---\n---\nb', '---\nid: new\n---\nb'],
    ['a comment first', '---\n# c\n---\nb', '---\nid: new\n# c\n---\nb'],
    ['an indented block', '---\n  title: x\n---\nb', '---\n  id: new\n  title: x\n---\nb'],
    ['braces', '---\n{a: 1}\n---\n', '---\n{id: new, a: 1}\n---\n'],
    ['empty braces', '---\n{}\n---\n', '---\n{id: new, }\n---\n'],
    ['braces with a bare id', '---\n{id}\n---\n', '---\n{id: new}\n---\n'],
    ['no value', '---\nid:\nb: 1\n---\n', '---\nid: new\nb: 1\n---\n'],
    ['no value but a comment', '---\nid: # c\n---\n', '---\nid: new # c\n---\n'],
    ['null', '---\nid: ~ # c\n---\n', '---\nid: new # c\n---\n'],
    ['quotes and a comment', '---\nid:  "old"  # c\n---\n', '---\nid:  new  # c\n---\n'],
    ['a block text', '---\nid: |\n  old\nb: 1\n---\n', '---\nid: new\nb: 1\n---\n'],
    ['the same id in quotes', '---\nid: "new"\n---\n', '---\nid: "new"\n---\n'],
    ['an anchor before the first key', '---\n&a b: 1\n---\n', '---\nid: new\n&a b: 1\n---\n'],
    ['an anchor before no value', '---\nid: &a\nb: *a\n---\n', '---\nid: &a new\nb: *a\n---\n'],
    ['a nested id', '---\nmeta:\n  id: x\n---\n', '---\nid: new\nmeta:\n  id: x\n---\n'],
  ])('%s', (_name, text, changed) => {
    expect(setGoalId(text, 'new')).toBe(changed);
    expect(parseGoal(changed).id).toBe('new');
  });

  test('quotes a word that means something else to YAML', () => {
    expect(setGoalId('---\nid: x\n---\n', 'null')).toBe('---\nid: "null"\n---\n');
  });

  test.each([
    ['a bare key', '---\n# c\n? id\n---\n'],
    ['a bare key over two lines', '---\n? "i\\\n  d"\n---\n'],
  ])('refuses a form it cannot edit: %s', (_name, text) => {
    const error = errorOf(() => setGoalId(text, 'new'));
    expect(error.code).toBe('GOAL_INVALID');
    expect(error.message).toBe(".runner/GOAL.md:3:5: the id cannot be changed to 'new' in this front matter");
  });

  test('refuses an id no branch can have', () => {
    expect(errorOf(() => setGoalId('', 'a/b')).code).toBe('GOAL_INVALID');
  });

  test('the id comes back and the body is the same', () => {
    const words = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,20}$/u);
    const eols = fc.constantFrom('\n', '\r\n');
    const blocks = fc.option(
      fc.array(
        fc.oneof(
          fc.constantFrom('# comment', '', 'title: "x: y"', 'tags: [a, b]', 'meta: {id: z}', "note: 'it''s'"),
          words.map((word) => `id: ${word}`),
        ),
        { maxLength: 3 },
      ),
      { nil: null },
    );
    fc.assert(
      fc.property(words, eols, blocks, fc.string({ unit: 'binary' }), (id, eol, lines, rest) => {
        const unique =
          lines === null ? null : [...new Map(lines.map((line) => [line.slice(0, 3), line])).values()];
        const body = rest.replace(/^(?:\ufeff|---)+/u, '');
        const text = unique === null ? body : ['---', ...unique, '---', body].join(eol);
        const changed = setGoalId(text, id);
        expect(parseGoal(changed)).toEqual({ id, body });
        expect(setGoalId(changed, id)).toBe(changed);
        for (const line of (unique ?? []).filter((entry) => !entry.startsWith('id:')))
          expect(changed).toContain(line + eol);
      }),
    );
  });
});
