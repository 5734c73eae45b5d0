import { expect, test } from 'vitest';
import { scanTerminal } from '../../../src/core/text/terminal-scan.ts';

const esc = '\u001b';

function scan(text: string): string[] {
  const found: string[] = [];
  scanTerminal(text, {
    print: (char) => found.push(`print ${char}`),
    control: (code) => found.push(`control ${code}`),
    escape: (name) => found.push(`escape ${name}`),
    command: (name, params) => found.push(`command ${name} ${params}`),
  });
  return found;
}

test.each([
  ['a😀\n', ['print a', 'print 😀', 'control 10']],
  [`${esc}[1;31m`, ['command m 1;31']],
  [`${esc}[?25 q`, ['command  q ?25']],
  [`${esc}(B${esc}M`, ['escape (B', 'escape M']],
  [`${esc}[2\rK`, ['control 13', 'command K 2']],
  [`${esc}[2\u0018K`, ['print K']],
  [`${esc}[2\u001aK`, ['print K']],
  [`${esc}[2${esc}[3J`, ['command J 3']],
  [`${esc}(${esc}[J`, ['command J ']],
  [`\u009b2K\u0085`, ['command K 2', 'escape E']],
  [`${esc}]0;t\u0007x`, ['print x']],
  [`${esc}]0;t${esc}\\x`, ['escape \\', 'print x']],
  [`${esc}Pq\u009cx`, ['print x']],
  [`${esc}]8;;u\nx`, ['control 10', 'print x']],
  [`${esc}]8;;u\nx\u0007y`, ['print y']],
  [`${esc}[1`, []],
])('%j', (text, found) => {
  expect(scan(text)).toEqual(found);
});
