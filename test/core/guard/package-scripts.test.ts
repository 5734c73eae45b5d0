import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSameScripts, layScripts, scriptsOf } from '../../../src/core/guard/package-scripts.ts';

function file(scripts: object, more: object = {}): string {
  return `${JSON.stringify({ name: 'x', scripts, ...more }, null, 2)}\n`;
}

test('scripts that npm could run; a file it could not read has none', () => {
  expect(scriptsOf(file({ test: 'a', odd: 1, __proto__: 'x' }))).toEqual(new Map([['test', 'a']]));
  expect(scriptsOf(`\uFEFF${file({ test: 'a' })}`)).toEqual(new Map([['test', 'a']]));
  expect(scriptsOf('{"scripts": null}')).toEqual(new Map());
  expect(scriptsOf('{"scripts": {"a": "1", "a": "2"}}')).toEqual(new Map([['a', '2']]));
  for (const text of ['', '[]', 'null', '{']) expect(scriptsOf(text)).toBe(null);
});

describe('isSameScripts', () => {
  const names = ['pretest', 'test'];
  test.each([
    [file({ test: 'a' }), file({ test: 'a', more: 'b' }, { version: '2' }), true],
    [file({ test: 'a' }), file({ test: 'b' }), false],
    [file({ test: 'a' }), file({ test: 'a', pretest: 'weaken' }), false],
    [file({ test: 'a' }), file({}), false],
    [file({ test: 'a' }), 'broken', false],
    ['broken', 'broken', true],
  ])('%#', (reference, present, wanted) => {
    expect(isSameScripts({ reference, present, names })).toBe(wanted);
  });
});

describe('layScripts', () => {
  test('only the scripts that count, in their place; the rest as it is now', () => {
    const reference = file({ test: 'real', posttest: 'after' });
    const present =
      '{\n\t"scripts": {\n\t\t"test": "true",\n\t\t"pretest": "weaken",\n\t\t"other": "o"\n\t},\n\t"version": "2"\n}';
    expect(layScripts({ reference, present, names: ['posttest', 'pretest', 'test'] })).toBe(
      '{\n\t"scripts": {\n\t\t"test": "real",\n\t\t"other": "o",\n\t\t"posttest": "after"\n\t},\n\t"version": "2"\n}\n',
    );
    expect(layScripts({ reference, present: '{"a":1}', names: ['test'] })).toBe(
      '{\n  "a": 1,\n  "scripts": {\n    "test": "real"\n  }\n}\n',
    );
  });

  test('as a whole where one of them cannot be read', () => {
    expect(layScripts({ reference: 'broken', present: file({}), names: ['test'] })).toBe('broken');
    expect(layScripts({ reference: file({}), present: '[]', names: ['test'] })).toBe(file({}));
  });

  test('afterwards they are the same, and other scripts and keys are untouched', () => {
    const scripts = fc.dictionary(fc.constantFrom('test', 'pretest', 'lint', 'build'), fc.string());
    const names = fc.subarray(['test', 'pretest', 'lint']);
    fc.assert(
      fc.property(scripts, scripts, names, (before, now, counted) => {
        const request = { reference: file(before), present: file(now, { a: 1 }), names: counted };
        const present = layScripts(request);
        expect(isSameScripts({ ...request, present })).toBe(true);
        const others = ['build', 'lint', 'pretest', 'test'].filter((name) => !counted.includes(name));
        expect(isSameScripts({ reference: request.present, present, names: others })).toBe(true);
        expect(JSON.parse(present)).toMatchObject({ name: 'x', a: 1 });
      }),
    );
  });
});
