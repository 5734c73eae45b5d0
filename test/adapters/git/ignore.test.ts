/** The patterns we propose for `.gitignore`, as git itself reads them. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ignorePattern } from '../../../src/core/iteration/ignore-lines.ts';
import { cleanLine } from '../../../src/core/text/terminal-text.ts';
import { scratchFolder } from '../../support/scratch.ts';

const word = fc.string({
  unit: fc.constantFrom(...'ab#!*?[]\\ .-$`\'"\n\t\u001b\u200dé日😀'),
  minLength: 1,
  maxLength: 8,
});
const path = fc
  .array(
    word.filter((name) => name !== '.' && name !== '..'),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => parts.join('/'));

test('is what git understands, and is shown on a terminal as it is', () => {
  const repo = scratchFolder();
  const git = (args: readonly string[], input = '') => execFileSync('git', args, { cwd: repo, input });
  git(['init', '--quiet']);
  fc.assert(
    fc.property(path, (name) => {
      const pattern = ignorePattern(name);
      expect(cleanLine(pattern)).toBe(pattern);
      writeFileSync(join(repo, '.gitignore'), `${pattern}\n`);
      const found = git(['check-ignore', '--no-index', '-z', '--stdin'], `${name}\0`);
      expect(found.toString('utf8')).toBe(`${name}\0`);
    }),
    // Each case starts git: more of them are not worth their time.
    { numRuns: 100 },
  );
});
