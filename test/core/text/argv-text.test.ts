import { expect, test } from 'vitest';
import { renderArgv } from '../../../src/core/text/argv-text.ts';

test.each([
  [['just', 'ci'], 'just ci'],
  [['sh', '-c', 'npm test && echo ok'], 'sh -c "npm test && echo ok"'],
  [['echo', '', '"', "it's", 'a\\b'], 'echo "" "\\"" "it\'s" "a\\\\b"'],
  [['printf', 'a\nRunner-Mark: forged', '\u001b[2K\u202e'], 'printf "a\\nRunner-Mark: forged"'],
])('%j reads %s', (argv, text) => {
  expect(renderArgv(argv)).toBe(text);
});
