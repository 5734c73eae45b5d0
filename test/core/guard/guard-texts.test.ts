import { expect, test } from 'vitest';
import { justImports, makeIncludes, moduleFiles, recipeLines } from '../../../src/core/guard/guard-texts.ts';

test('imports and modules of a justfile', () => {
  const text = `import 'a'\nimport? "b c"\n import 'in a recipe'\nimport x'd'\nmod one\nmod? two-x 'place'\nmodule := 'x'\n`;
  expect(justImports(text)).toEqual(['a', 'b c', 'd']);
  expect(moduleFiles(text, ['justfile'])).toEqual([
    ...['one', 'one.just', 'one/mod.just', 'one/justfile'],
    ...['place', 'two-x.just', 'place/mod.just', 'place/justfile'],
  ]);
});

test('plain includes of a Makefile', () => {
  expect(makeIncludes('include a b # c\n-include d\nsinclude e*\ninclude $(f) [g]\n\tinclude h\n')).toEqual([
    'a',
    'b',
    'd',
  ]);
});

test('lines of recipes, without marks, with make called by its name', () => {
  expect(recipeLines('ci: a\n\t@-$(MAKE) x\n    ${MAKE}\nb:\n')).toEqual(['make x', 'make']);
});
