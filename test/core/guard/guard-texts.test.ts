import { expect, test } from 'vitest';
import {
  justImports,
  makeIncludes,
  makeTargets,
  moduleFiles,
  recipeLines,
} from '../../../src/core/guard/guard-texts.ts';

test('imports and modules of a justfile', () => {
  const text = `import 'a'\nimport? "b c"\n import 'in a recipe'\nimport x'd'\nmod one\nmod? two-x 'place'\nmodule := 'x'\n`;
  expect(justImports(text)).toEqual([
    { path: 'a', isOptional: false },
    { path: 'b c', isOptional: true },
    { path: 'd', isOptional: false },
  ]);
  expect(moduleFiles(text, ['justfile'])).toEqual([
    ...['one', 'one.just', 'one/mod.just', 'one/justfile'],
    ...['place', 'two-x.just', 'place/mod.just', 'place/justfile'],
  ]);
});

test('plain includes of a Makefile', () => {
  const text = 'include a b # c\n-include d\nsinclude e* f\ninclude $(f) [g]\n\tinclude h\n';
  expect(makeIncludes(text)).toEqual([
    { path: 'a', isOptional: false },
    { path: 'b', isOptional: false },
    { path: 'd', isOptional: true },
    { path: 'f', isOptional: true },
  ]);
});

test('lines of recipes, without marks, with make called by its name', () => {
  expect(recipeLines('ci: a\n\t@-$(MAKE) x\n    ${MAKE}\nb:\n')).toEqual(['make x', 'make']);
});

test.each<readonly [string, readonly string[]]>([
  ['check:\n\tsh check.sh\n', ['check']],
  ['.PHONY: check lint # both\ncheck: lint\n\ttrue\nlint:\n\ttrue\n', []],
  ['.PHONY: \\\n  check\ncheck lint :: other\n', ['lint']],
  ['lint-all unit_2: x ; true\nlint-all: y\n', ['lint-all', 'unit_2']],
  ['A := b: c\nB ::= d\nC :::= d\nD ?= e: f\nexport E = f:g\n', []],
  ['app.o: app.c\nbuild/app: app.o\n%: x\n$(T): y\n.SUFFIXES:\n\tcheck: no\n# check: no\n', []],
  ['check: CFLAGS := -O2\r\n.PHONY: lint\r\nlint:\r\n', ['check']],
])('targets that a file of their name would make up to date: %j', (text, wanted) => {
  expect(makeTargets([text])).toEqual(wanted);
});

test('targets of all files, less those that are phony in any of them', () => {
  expect(makeTargets(['a:\nb:\n', '.PHONY: a\nb:\n'])).toEqual(['b']);
});
