/** Whatever the quick readers accept, the full parsers accept with the same value; and the usual files are accepted. */
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/core/config/config.ts';
import { configSchema as fullConfigSchema } from '../../../src/core/config/config-schema.ts';
import { renderDefaultConfig } from '../../../src/core/config/config-template.ts';
import { parseGoal } from '../../../src/core/config/goal.ts';
import { goalTemplate } from '../../../src/core/iteration/initial-files.ts';
import { defaultConfig } from '../../../src/core/config/default-config.ts';
import { readConfig, readGoal, readRunState } from '../../../src/core/config/quick-read.ts';
import { defaultRunState, newNodeRecord, renderRunState } from '../../../src/core/iteration/run-state.ts';
import { parseRunState } from '../../../src/core/iteration/run-state-schema.ts';
import { configKeys } from '../../../src/core/settings.js';

/** Right, nearly right and wrong. */
const anyValue = fc.oneof(
  fc.constantFrom(
    0,
    1,
    3,
    1000,
    5000,
    0.5,
    -1,
    1e308,
    Number.NaN,
    2 ** 53,
    true,
    false,
    null,
    '',
    ' ',
    'full',
    'a\u0000',
  ),
  fc.constantFrom(
    'codex',
    'claude',
    'command',
    'scripted',
    'copilot',
    'stop',
    'defer',
    'workspace',
    'confirm',
  ),
  fc.constantFrom([], ['just', 'ci'], [''], [' ', 'x'], ['A_B'], [1], {}, { a: 1 }, new Date(0)),
  fc.anything({ maxDepth: 1 }).filter((value) => value !== undefined),
);

const anyConfig = fc
  .array(
    fc.tuple(fc.constantFrom(...configKeys.map(({ key }) => key), 'agent.nmae', 'extra', 'git'), anyValue),
    {
      maxLength: 6,
    },
  )
  .map((pairs) => {
    const file: Record<string, unknown> = {};
    for (const [key, value] of pairs) {
      const [section = '', name] = key.split('.');
      if (name === undefined) file[section] = value;
      else file[section] = { ...(file[section] as object | undefined), [name]: value };
    }
    return file;
  });

describe('settings', () => {
  test('accepted is accepted by the full parser with the same value, key order included; refused is refused', () => {
    fc.assert(
      fc.property(anyConfig, (file) => {
        const wild = readConfig(file);
        if (wild !== null) expect(parseConfig(file)).toEqual({ ok: true, config: wild });
        const plain: unknown = JSON.parse(
          JSON.stringify(file, (_, item: unknown) => (typeof item === 'bigint' ? 1 : item)),
        );
        const full = parseConfig(plain);
        expect(JSON.stringify(readConfig(plain))).toBe(JSON.stringify(full.ok ? full.config : null));
      }),
    );
  });

  test('a file is left as it was parsed', () => {
    const file = { agent: {} };
    expect(readConfig(file)).toEqual(defaultConfig);
    expect(file).toEqual({ agent: {} });
    expect(readConfig(null)).toBeNull();
    expect(readConfig(parse(renderDefaultConfig({ guardCommand: ['npm', 'test'] })))).toEqual({
      ...defaultConfig,
      guard: { ...defaultConfig.guard, command: ['npm', 'test'] },
    });
    expect(parseConfig({})).toEqual({ ok: true, config: defaultConfig });
    expect(fullConfigSchema.parse({})).toBeTypeOf('object');
  });
});

const anyNode = fc.record(
  {
    base: fc.oneof(fc.string(), fc.constant(null), fc.constant(1)),
    invalid_trees: fc.oneof(fc.nat(), fc.constantFrom(-1, 0.5, '1')),
    confirm_asked: fc.oneof(fc.boolean(), fc.constant(0)),
    tokens: fc.oneof(fc.nat(), fc.constant(null)),
    strange: fc.constant(1),
  },
  { requiredKeys: [] },
);
const anyState = fc.record(
  {
    run_id: fc.oneof(fc.string(), fc.constant(null), fc.constant(7)),
    next_iter: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constant('1')),
    last_status: fc.constantFrom('done', 'retry', 'decomposed', null, 'odd'),
    totals: fc.oneof(
      fc.constant({}),
      fc.constant({ seconds: 1.5, tokens: 2 }),
      fc.constant({ x: 1 }),
      fc.constant(null),
    ),
    repair: fc.constantFrom(null, { node_id: 'a', count: 1, sha256: 'x' }, { node_id: 'a' }),
    nodes: fc.dictionary(fc.constantFrom('a', 'constructor', '1', 'toString'), anyNode),
  },
  { requiredKeys: [] },
);

test('run state: accepted is accepted by the full parser with the same value; refused is refused', () => {
  fc.assert(
    fc.property(anyState, (state) => {
      const text = JSON.stringify(state);
      const quick = readRunState(text);
      const full = parseRunState(text);
      expect(quick === null ? null : renderRunState(quick)).toBe(full.ok ? renderRunState(full.state) : null);
      expect(quick?.nodes['valueOf']).toBeUndefined();
    }),
  );
  expect(readRunState('{')).toBeNull();
  expect(parseRunState('{"next_iter":1}')).toEqual({ ok: true, state: defaultRunState });
  expect(readRunState('{"next_iter":1,"nodes":{"a":{}}}')?.nodes).toEqual({ a: newNodeRecord });
});

const word = fc.constantFrom(
  'a',
  'run-1',
  'null',
  'yes',
  'No',
  'x.lock',
  '1',
  '-',
  'a..b',
  '',
  '"q"',
  '[x]',
  'a # b',
  'Z_9',
);
const line = fc
  .tuple(fc.constantFrom('id', 'title', 'ID', 'k_k', 'id ', '- x'), fc.constantFrom(': ', ':', ':  '), word)
  .map((parts) => parts.join(''));
const anyGoal = fc
  .tuple(
    fc.constantFrom('---\n', '--- \n', '', '\ufeff---\n', '---\r\n'),
    fc.array(line, { maxLength: 3 }),
    fc.constantFrom('---\n', '---', ''),
  )
  .map(([open, lines, close]) => `${open}${lines.map((one) => `${one}\n`).join('')}${close}Goal.\n---\n`);

test('goal: accepted is what the full parser reads', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(anyGoal, fc.string()), (text) => {
      const quick = readGoal(text);
      if (quick === null) return;
      accepted += 1;
      expect(quick).toEqual(parseGoal(text));
    }),
  );
  expect(accepted).toBeGreaterThan(50);
  expect(readGoal('')).toEqual({ id: null, body: '' });
  expect(readGoal('---\nid: [x]\n---\n')).toBeNull();
  expect(readGoal(goalTemplate)).toEqual(parseGoal(goalTemplate));
});

test.each([
  ['no front matter', '# Goal\n', { id: null, body: '# Goal\n' }],
  ['an id', '---\nid: one\n---\nDo it.\n', { id: 'one', body: 'Do it.\n' }],
  ['no id', '---\ntitle: one\n---\nDo it.\n', { id: null, body: 'Do it.\n' }],
  ['an empty front matter', '---\n---\n', { id: null, body: '' }],
  ['an id that no branch can have', '---\nid: a..b\n---\n', null],
  ['a word that is no text in YAML', '---\nid: yes\n---\n', null],
  ['a key twice', '---\nid: a\nid: b\n---\n', null],
  ['a front matter that is not plain', '---\nid: "a"\n---\n', null],
])('a goal with %s is read at once or left to the full parser', (_, text, goal) => {
  expect(readGoal(text)).toEqual(goal);
});

test.each([{ agent: { name: 'command', command: ['  '] } }, { agent: { name: 'command' } }, { agent: 1 }])(
  'settings %j are left to the full parser',
  (file) => {
    expect(readConfig(file)).toBeNull();
  },
);

test.each(['', '{', '{}', '[]'])('a run state %j is left to the full parser', (text) => {
  expect(readRunState(text)).toBeNull();
});
