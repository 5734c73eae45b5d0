/** One line of config.toml is changed and nothing else: tables of cases, and random files against the real parser. */
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { applySetting, removeSetting, renderSetting } from '../../../src/core/config/config-edit.ts';
import type { SettingValue } from '../../../src/core/config/config-edit.ts';
import { renderDefaultConfig } from '../../../src/core/config/config-template.ts';
import { configKeys } from '../../../src/core/settings.js';
import type { ValueKind } from '../../../src/core/settings.js';

const template = renderDefaultConfig({ guardCommand: ['npm', 'test'] });

describe('where a value goes', () => {
  test.each<[string, string, string, SettingValue, string]>([
    [
      'replaced, comment kept',
      'max_iterations = 5 # why\n',
      'max_iterations',
      7,
      'max_iterations = 7 # why\n',
    ],
    ['in a table', '[agent]\n  name= "codex"\n', 'agent.name', 'pi', '[agent]\n  name= "pi"\n'],
    ['quoted key', '["agent"]\n\'name\' = "x"\n', 'agent.name', 'pi', '["agent"]\n\'name\' = "pi"\n'],
    ['dotted key', 'agent . name = "x"\n', 'agent.name', 'pi', 'agent . name = "pi"\n'],
    [
      'a list of several lines',
      '[guard]\ncommand = [\n  "a", # ]\n  "b]",\n] # end\nbaseline = true\n',
      'guard.command',
      ['c', 'd e'],
      '[guard]\ncommand = ["c", "d e"] # end\nbaseline = true\n',
    ],
    [
      'a long text with quotes',
      '[agent]\nmodel = """a "b" \\""""" \nname = "pi"\n',
      'agent.model',
      'm',
      '[agent]\nmodel = "m" \nname = "pi"\n',
    ],
    ['a literal text', "[agent]\nmodel = '''\n[x]\n# '''\n", 'agent.model', 'm', '[agent]\nmodel = "m"\n'],
    ['an inline table', 'agent = { name = "x" } # y\n', 'agent.name', 'pi', 'agent = { name = "pi" } # y\n'],
    ['added inline', 'agent = { name = "x" }\n', 'agent.bin', 'b', 'agent = { name = "x", bin = "b" }\n'],
    [
      'in a table of a table',
      '[agent.plan]\nmodel = "x"\n',
      'agent.plan.model',
      'm',
      '[agent.plan]\nmodel = "m"\n',
    ],
    [
      'in a new table of a table',
      '[agent]\nname = "pi"\n',
      'agent.plan.model',
      'm',
      '[agent]\nname = "pi"\n\n[agent.plan]\nmodel = "m"\n',
    ],
    [
      'above a table of its table',
      '[agent.plan]\nmodel = "x"\n',
      'agent.name',
      'pi',
      '[agent.plan]\nmodel = "x"\n\n[agent]\nname = "pi"\n',
    ],
    [
      'beside a dotted key of a table',
      '[agent]\nplan.model = "x"\nname = "pi"\n',
      'agent.plan.effort',
      'low',
      '[agent]\nplan.model = "x"\nplan.effort = "low"\nname = "pi"\n',
    ],
    [
      'below a table of dotted keys',
      'agent.name = "pi"\n[git]\n',
      'agent.plan.model',
      'm',
      'agent.name = "pi"\nagent.plan.model = "m"\n[git]\n',
    ],
    [
      'in an inline table of an inline table',
      'agent = { plan = { model = "x" } }\n',
      'agent.plan.effort',
      'low',
      'agent = { plan = { model = "x", effort = "low" } }\n',
    ],
    [
      'below an inline table',
      'agent = { name = "pi" }\n',
      'agent.plan.model',
      'm',
      'agent = { name = "pi", plan.model = "m" }\n',
    ],
    ['into an empty inline table', 'agent = {}\n', 'agent.bin', 'b', 'agent = { bin = "b" }\n'],
    [
      'below its default',
      '# a = 1\n# on_stuck = "stop"\n# b\n',
      'on_stuck',
      'defer',
      '# a = 1\n# on_stuck = "stop"\non_stuck = "defer"\n# b\n',
    ],
    [
      'behind the last key',
      'on_stuck = "stop"\n\n# x\n[agent]\n',
      'max_iterations',
      5,
      'on_stuck = "stop"\nmax_iterations = 5\n\n# x\n[agent]\n',
    ],
    [
      'at the top of a table',
      '[git]\n# x\n\n[tree]\n',
      'git.sign',
      true,
      '[git]\nsign = true\n# x\n\n[tree]\n',
    ],
    ['a new table', 'on_stuck = "stop"\n', 'git.sign', true, 'on_stuck = "stop"\n\n[git]\nsign = true\n'],
    ['a new table after a gap', '# x\n\n', 'git.sign', true, '# x\n\n[git]\nsign = true\n'],
    ['an empty file', '', 'git.sign', true, '[git]\nsign = true\n'],
    ['an empty file, outside tables', '', 'max_iterations', 5, 'max_iterations = 5\n'],
    [
      'no line ending at the end',
      '[git]\nsign = true',
      'git.run_hooks',
      true,
      '[git]\nsign = true\nrun_hooks = true\n',
    ],
    [
      'dotted tables get no header',
      'git.sign = true\nmax_iterations = 5\n',
      'git.run_hooks',
      true,
      'git.sign = true\ngit.run_hooks = true\nmax_iterations = 5\n',
    ],
    [
      'above the first header',
      '#:schema x\n# of the file\n\n# of git\n[git]\n',
      'max_iterations',
      5,
      '#:schema x\n# of the file\nmax_iterations = 5\n\n# of git\n[git]\n',
    ],
    [
      'behind the schema line',
      '#:schema x\n[git]\n',
      'max_iterations',
      5,
      '#:schema x\nmax_iterations = 5\n[git]\n',
    ],
    ['before the first line', '[git]\n', 'max_iterations', 5, 'max_iterations = 5\n[git]\n'],
    ['behind a byte order mark', '\uFEFF[git]\n', 'max_iterations', 5, '\uFEFFmax_iterations = 5\n[git]\n'],
    ['only comments', '# nothing yet\n', 'max_iterations', 5, '# nothing yet\nmax_iterations = 5\n'],
    [
      'Windows line endings',
      '[git]\r\nsign = true\r\n',
      'git.run_hooks',
      false,
      '[git]\r\nsign = true\r\nrun_hooks = false\r\n',
    ],
    [
      'a default inside a list is no default',
      '[guard]\nprotect = [\n# baseline = true\n]\n',
      'guard.baseline',
      false,
      '[guard]\nprotect = [\n# baseline = true\n]\nbaseline = false\n',
    ],
  ])('%s', (...row) => {
    const [, before, key, value, after] = row;
    expect(applySetting(before, key, value)).toBe(after);
    parse(after.replace('\uFEFF', ''));
  });
});

describe('what is removed', () => {
  test.each([
    [
      'the line with its comment',
      'on_stuck = "stop"\n  max_iterations = 5 # x\n# y\n',
      'max_iterations',
      'on_stuck = "stop"\n# y\n',
    ],
    ['the only line', '[git]\nsign = true', 'git.sign', '[git]\n'],
    ['behind a byte order mark', '\uFEFFmax_iterations = 5\n', 'max_iterations', '\uFEFF'],
    [
      'a list of several lines',
      'a = 1\n[guard]\ncommand = [\n"a",\n]\n',
      'guard.command',
      'a = 1\n[guard]\n',
    ],
    ['first of inline', 'agent = { name = "a", bin = "b" }\n', 'agent.name', 'agent = { bin = "b" }\n'],
    ['last of inline', 'agent = { name = "a", bin = "b" }\n', 'agent.bin', 'agent = { name = "a" }\n'],
    ['only one of inline', 'agent = { name = "a" }\n', 'agent.name', 'agent = {  }\n'],
    ['nothing when it is not set', 'agent = { name = "a" }\n', 'agent.bin', 'agent = { name = "a" }\n'],
    ['nothing in another table', '[git]\nsign = true\n', 'sign', '[git]\nsign = true\n'],
  ])('%s', (_name, before, key, after) => {
    expect(removeSetting(before, key)).toBe(after);
  });
});

test('values as TOML has them', () => {
  expect(renderSetting('a "b" \\ \u007F\n')).toBe(String.raw`"a \"b\" \\ \u007F\n"`);
  expect(renderSetting(['a', 'b c'])).toBe('["a", "b c"]');
  expect(renderSetting([])).toBe('[]');
  expect(renderSetting(1.5)).toBe('1.5');
  expect(renderSetting(false)).toBe('false');
});

const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((one) => !/[\uD800-\uDFFF]/u.test(one));
const valueOf: Readonly<Record<ValueKind, fc.Arbitrary<SettingValue>>> = {
  integer: fc.integer(),
  number: fc.integer({ min: 1, max: 1_000_000 }).map((cents) => cents / 100),
  boolean: fc.boolean(),
  list: fc.array(text, { maxLength: 4 }),
  text,
};
const setting = fc
  .constantFrom(...configKeys)
  .chain(({ key, kind }) => valueOf[kind].map((value) => ({ key, value })));

type Table = Record<string, unknown>;

function withSetting(file: Table, key: string, value: SettingValue | undefined): Table {
  const [first = '', ...others] = key.split('.');
  const { [first]: old, ...rest } = file;
  if (others.length === 0) return value === undefined ? rest : { ...rest, [first]: value };
  if (value === undefined && old === undefined) return file;
  return { ...rest, [first]: withSetting((old ?? {}) as Table, others.join('.'), value) };
}

/** An empty table says nothing. */
function filled(file: Table): Table {
  const isTable = (value: unknown): value is Table =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const inner = Object.entries(file).map(([key, value]) => [key, isTable(value) ? filled(value) : value]);
  return Object.fromEntries(
    inner.filter(([, value]) => !isTable(value) || Object.keys(value).length > 0),
  ) as Table;
}

/** How one value may be written: on one line, over several, with comments inside and behind. */
function spellings(value: SettingValue): readonly string[] {
  const plain = renderSetting(value);
  if (typeof value === 'string') {
    const isTame = /^[^'\p{C}]*$/u.test(value);
    return isTame ? [plain, `'${value}'`, `'''${value}'''`, `"""\n${plain.slice(1, -1)}"""`] : [plain];
  }
  if (typeof value !== 'object' || value.length === 0) return [plain];
  const items = value.map((item) => renderSetting(item));
  return [plain, `[\n  ${items.join(', # ] = "\n  ')},\n]`, `[ ${items.join(' , ')} ]`];
}

interface Spelt {
  readonly key: string;
  readonly value: SettingValue;
  readonly spelling: string;
}
const spelt: fc.Arbitrary<Spelt> = setting.chain((one) =>
  fc.constantFrom(...spellings(one.value)).map((spelling) => ({ ...one, spelling })),
);

const comment = fc.constantFrom('', '# [agent]', '# sign = true', '  # "x', '# max_iterations = 50', '\t');
/** A file of some keys: tables with headers, dotted or inline, in any order, with comments and blank lines. */
const file = fc
  .record({
    settings: fc.uniqueArray(spelt, { maxLength: 12, selector: ({ key }) => key }),
    comments: fc.array(comment, { maxLength: 12 }),
    styles: fc.array(fc.constantFrom('header', 'dotted', 'inline'), { minLength: 7, maxLength: 7 }),
    ending: fc.constantFrom('\n', '\r\n'),
    isOpen: fc.boolean(),
  })
  .map(({ settings, comments, styles, ending, isOpen }) => {
    const notes = [...comments];
    const noted = (line: string): string[] => [...notes.splice(0, 1), line];
    const sections = [...new Set(settings.map(({ key }) => (key.includes('.') ? key.split('.')[0] : '')))];
    const of = (section: string | undefined): Spelt[] =>
      settings.filter(({ key }) => (key.includes('.') ? key.split('.')[0] : '') === section);
    const styled = sections.map((section, at) => ({ section, style: section === '' ? 'top' : styles[at] }));
    const inner = (key: string): string => key.split('.').slice(1).join('.');
    const top = styled.flatMap(({ section, style }) => {
      if (style === 'header') return [];
      if (style === 'inline' && of(section).every(({ spelling }) => !spelling.includes('\n'))) {
        const items = of(section).map(({ key, spelling }) => `${inner(key)} = ${spelling}`);
        return noted(`${section} = { ${items.join(', ')} }`);
      }
      return of(section).flatMap(({ key, spelling }) => noted(`${key} = ${spelling} # x`));
    });
    const tables = styled.flatMap(({ section, style }) =>
      style === 'header'
        ? [
            ...noted(`[ ${section} ]`),
            ...of(section).flatMap(({ key, spelling }) => noted(`  ${inner(key)}=${spelling}`)),
          ]
        : [],
    );
    return [...top, ...tables, ...notes].join('\n').replaceAll('\n', ending) + (isOpen ? '' : ending);
  });
const anyFile = fc.oneof(file, fc.constantFrom('', template, template.replaceAll('\n', '\r\n')));

describe('for any file and key', () => {
  test('the result means the same with the key set, and removing it means the same without', () => {
    fc.assert(
      fc.property(anyFile, setting, (before, { key, value }) => {
        const meant = parse(before);
        const set = applySetting(before, key, value);
        expect(parse(set)).toEqual(withSetting(meant, key, value));
        expect(applySetting(set, key, value), 'setting it again changes nothing').toBe(set);
        expect(filled(parse(removeSetting(before, key)))).toEqual(filled(withSetting(meant, key, undefined)));
      }),
    );
  });

  test('every other line stays byte for byte, and a line that was added goes again', () => {
    fc.assert(
      fc.property(anyFile, setting, (before, { key, value }) => {
        const set = applySetting(before, key, value);
        const removed = removeSetting(before, key);
        if (removed === before) {
          const lines = before.split('\n');
          expect(set.split('\n').length - lines.length).toBeLessThanOrEqual(4);
          const isWhole = before === '' || before.endsWith('\n');
          const hasHeader = set.split('\n').length - lines.length > 1;
          if (isWhole && !hasHeader && !/^\w+ = \{/m.test(before))
            expect(removeSetting(set, key)).toBe(before);
        }
        const ending = before.includes('\r\n') ? '\r\n' : '\n';
        const closed = (whole: string): string => (/^$|\n$/.test(whole) ? whole : `${whole}${ending}`);
        expectSameAround(closed(before), closed(set));
      }),
    );
  });
});

/** Taken from both ends, all lines are equal but for one block: old lines of the value, new lines in their place. */
function expectSameAround(before: string, after: string): void {
  const old = before.split('\n');
  const now = after.split('\n');
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail))
    tail += 1;

  const gone = old.slice(head, old.length - tail);
  const put = now.slice(head, now.length - tail);
  expect(put.length, after).toBeLessThanOrEqual(4);
  // What went is one value: its first line is a key, or nothing but a missing line ending.
  if (gone.length > 0 && gone.join('') !== '') expect(gone[0]).toMatch(/=/);
}
