/** How much is missed and how much too much is hidden. `npm run test:redact` draws more and prints the rates. */
import { expect, test } from 'vitest';
import { secretRules, unusedSecretRules } from '../../../src/core/secret-rules.js';
import { redactedWord, redactor } from '../../../src/core/text/redact.ts';
import { ordinaryLines } from '../../support/ordinary-logs.ts';
import { plantedSecrets, secretForms } from '../../support/secret-kinds.ts';

const isFull = process.env['RUNNER_REDACT_ALL'] === '1';
const { redact } = redactor([]);

function print(line: string): void {
  if (isFull) process.stdout.write(`${line}\n`);
}

test('secrets of every kind, in every form', { timeout: 600_000 }, () => {
  const planted = plantedSecrets(isFull ? 20 : 1);
  const kinds = new Set(planted.map(({ kind }) => kind));
  const missed: string[] = [];
  for (const [form, write] of Object.entries(secretForms)) {
    const here = planted.filter(({ match, secret }) => {
      const text = write(match, secret);
      const left = redact(text);
      return !left.includes(redactedWord) || left.includes(secret);
    });
    missed.push(...here.map(({ kind, match }) => `${form}: ${kind}: ${match}`));
    print(`missed ${form}: ${here.length} of ${planted.length}`);
    // Drawn tokens with a percent sign or a backslash in them may look like a code themselves.
    expect(here.length).toBeLessThanOrEqual(form === 'plain' ? 0 : planted.length * 0.01);
  }
  const split = planted.filter(({ match, secret }) => {
    const stream = redactor([]).stream();
    const at = match.indexOf(secret) + Math.floor(secret.length / 2);
    const pieces = [...stream.write(match.slice(0, at)), ...stream.write(match.slice(at)), ...stream.end()];
    return !pieces.some(({ isSecret }) => isSecret);
  });
  print(`missed over two writes: ${split.length} of ${planted.length}`);
  print(
    `kinds: ${kinds.size} of ${secretRules.length} rules in use; not used: ${unusedSecretRules.join(', ')}`,
  );
  for (const one of missed.slice(0, 20)) print(`  ${one}`);
  expect(kinds.size).toBeGreaterThan(190);
  expect(split).toEqual([]);
});

test('hostile lines take no time to speak of', () => {
  const length = isFull ? 200_000 : 4000;
  const words = [
    ...new Set(secretRules.flatMap((rule) => rule.words)),
    '://',
    'curl -u ',
    '\\',
    '%4',
    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
    '\u001b[',
    '\u009d',
    '\\b\\u009b',
    'a\b',
    '\r\u200b',
  ];
  const slow: string[] = [];
  for (const word of words) {
    for (const line of [word, `${word}=`, `${word} = "`, `${word}aA1`, `${word}/.-`]) {
      const text = line.repeat(Math.ceil(length / line.length));
      const startMs = performance.now();
      expect(redact(text).length).toBeGreaterThan(0);
      slow.push(
        `${String(Math.round(performance.now() - startMs)).padStart(6)} ms for ${text.length} characters of ${line}`,
      );
    }
  }
  for (const one of slow.toSorted().slice(-5)) print(`slowest: ${one}`);
});

test.runIf(isFull)('speed', () => {
  const lines = ordinaryLines(10_000).map(({ line }) => line);
  const plain = lines.filter((line) => !/[\\%\u001b]/.test(line)).join('\n');
  const kinds = {
    'ordinary lines': lines.join('\n'),
    'lines without codes': plain,
    'lines of JSON': lines.map((line) => JSON.stringify({ line: `a\n${line}\n` })).join('\n'),
  };
  for (const [kind, text] of Object.entries(kinds)) {
    redact(text);
    const start = process.cpuUsage();
    for (let round = 0; round < 10; round += 1) redact(text);
    const { user, system } = process.cpuUsage(start);
    print(`${kind}: ${Math.round((10 * text.length) / (user + system))} MB for each second of processor`);
  }
});

test('ordinary lines', () => {
  const lines = ordinaryLines(isFull ? 10_000 : 1000);
  const wrong = lines.filter(({ line }) => redact(line) !== line);
  print(
    `false alarms: ${wrong.length} of ${lines.length} ordinary lines of ${new Set(lines.map(({ kind }) => kind)).size} kinds`,
  );
  for (const { kind, line } of wrong.slice(0, 60)) print(`  ${kind}: ${redact(line)}   <- ${line}`);
  expect(wrong.length).toBeLessThanOrEqual(lines.length * 0.002);
});
