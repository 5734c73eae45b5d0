import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idleFiles, needsText } from '../../../src/core/runs/idle-files.ts';
import type { IdleInput, RunnerFile } from '../../../src/core/runs/idle-files.ts';

const line = fc.stringMatching(/^[a-z0-9-]{1,6}( [a-z]{1,4})?$/);
const lines = fc.array(line, { maxLength: 6 }).map((all) => all.map((one) => `${one}\n`).join(''));
const linesOf = (text: string): readonly string[] => text.split('\n').filter((one) => one.trim() !== '');

function file(path: string, text: string, mode = '100644'): RunnerFile {
  return { path, oid: `oid:${text}`, mode };
}

function idle(versions: Partial<Omit<IdleInput, 'texts'>>): Readonly<Record<string, string>> {
  const input = { run_id: 'a', base: [], target: [], run: [], ...versions };
  const all = [...input.base, ...input.target, ...input.run].filter(({ path }) => needsText(path));
  const texts = new Map(all.map(({ oid }) => [oid, oid.slice('oid:'.length)]));
  return Object.fromEntries(
    idleFiles({ ...input, texts }).map((one) => [one.path, 'text' in one ? one.text : one.oid]),
  );
}

describe('idleFiles', () => {
  test("people's files: the target's if it changed, else the run's", () => {
    for (const path of ['GOAL.md', 'state/config.toml', 'nodes/x/context.md', '.gitignore']) {
      const [base, run, target] = [file(path, 'base'), file(path, 'run'), file(path, 'target')];
      expect(idle({ base: [base], target: [base], run: [run] }), path).toEqual({ [path]: 'oid:run' });
      expect(idle({ base: [base], target: [target], run: [run] }), path).toEqual({ [path]: 'oid:target' });
      expect(idle({ base: [base], target: [], run: [run] }), path).toEqual({});
      expect(idle({ base: [base], target: [base], run: [] }), path).toEqual({});
      expect(idle({ run: [run] }), path).toEqual({ [path]: 'oid:run' });
    }
  });

  test('nothing of the run itself, no links, no artifacts', () => {
    const run = [
      ...['state/tree.json', 'state/run_state.json', 'state/tree.rejected.json'],
      ...['nodes/x/last.json', 'nodes/x/artifacts/a', 'iterations/a/1/x'],
    ].map((path) => file(path, 'run'));
    expect(idle({ run: [...run, file('link', 'x', '120000')] })).toEqual({});
    expect(idle({ target: [file('nodes/x/artifacts/a', 'theirs')], run })).toEqual({
      'nodes/x/artifacts/a': 'oid:theirs',
    });
  });

  test('memory and answers are the union, also where the base had none', () => {
    const path = 'state/assumptions.md';
    const [target, run] = ['# Assumptions\n\n- x\n', '# Assumptions\n\n- y\n'];
    expect(idle({ target: [file(path, target)], run: [file(path, run)] })).toEqual({
      [path]: '# Assumptions\n\n- x\n- y\n',
    });
    const answers = 'state/answers.md';
    expect(
      idle({
        base: [file(answers, 'b\n')],
        target: [file(answers, 'b\nx\n')],
        run: [file(answers, 'b\ny\n')],
      }),
    ).toEqual({ [answers]: 'b\nx\ny\n' });
    expect(idle({ run: [file(path, run)] })).toEqual({ [path]: `oid:${run}` });
  });

  test('a text that cannot be read is a file of people', () => {
    const path = 'state/feedback.md';
    const input = { run_id: 'a', base: [], target: [file(path, 't')], run: [file(path, 'r')] };
    for (const oid of ['oid:t', 'oid:r'])
      expect(idleFiles({ ...input, texts: new Map([[oid, 'x']]) })).toEqual([file(path, 't')]);
  });

  test('the id of the run leaves the goal', () => {
    const goal = (id: string): RunnerFile => file('GOAL.md', `---\nid: ${id}\n---\n# G\n`);
    expect(idle({ run: [goal('a')] })).toEqual({ 'GOAL.md': '# G\n' });
    expect(idle({ target: [goal('a')] })).toEqual({ 'GOAL.md': '# G\n' });
    expect(idle({ run: [goal('b')] })).toEqual({ 'GOAL.md': 'oid:---\nid: b\n---\n# G\n' });
  });

  test('the order of two finishes decides only the order in memory', () => {
    fc.assert(
      fc.property(lines, lines, (ours, theirs) => {
        const path = 'state/questions.md';
        const head = '# Open Questions\n\n';
        const base = [file(path, head)];
        const finish = (target: string, run: string): string =>
          idle({ base, target: [file(path, head + target)], run: [file(path, head + run)] })[path] ?? '';
        const [one, two] = [finish(ours, theirs), finish(theirs, ours)];
        expect(new Set(linesOf(one.replace(/^oid:/, '')))).toEqual(
          new Set(linesOf(two.replace(/^oid:/, ''))),
        );
      }),
    );
  });
});
