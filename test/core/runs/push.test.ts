/** What git's answer to a push means: only git's own `[rejected]` is the fence. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fencedStop, readPush, shownAddress, unpushedStop } from '../../../src/core/runs/push.ts';

const line = (verdict: string): string =>
  `To /srv/remote.git\n!\trefs/heads/runner/a:refs/heads/runner/a\t${verdict}\nDone\n`;
const place = { remote: 'origin', branch: 'runner/a' };

test.each([
  ['pushed', { code: 0, stdout: 'To x\n=\ta:a\t[up to date]\nDone\n', stderr: '' }, { kind: 'pushed' }],
  [
    'fetch first',
    { code: 1, stdout: line('[rejected] (fetch first)'), stderr: 'error: failed to push' },
    { kind: 'rejected' },
  ],
  ['behind', { code: 1, stdout: line('[rejected] (non-fast-forward)'), stderr: '' }, { kind: 'rejected' }],
  [
    'a server that refuses',
    { code: 1, stdout: line('[remote rejected] (pre-receive hook declined)'), stderr: 'error: failed' },
    { kind: 'failed', reason: '(pre-receive hook declined)' },
  ],
  [
    'a server that is away',
    { code: 128, stdout: '', stderr: "fatal: unable to access 'https://h/': no host\nmore" },
    { kind: 'failed', reason: "unable to access 'https://h/': no host" },
  ],
  ['no word', { code: 128, stdout: '', stderr: '' }, { kind: 'failed', reason: 'git push ended with 128' }],
])('%s', (_, output, wanted) => {
  expect(readPush(output)).toEqual(wanted);
});

test('what a server says on stderr is never taken for the fence', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 255 }), (words, code) => {
      const stderr = `remote: ${words}\n${line('[rejected] (fetch first)')}`;
      expect(readPush({ code, stdout: '', stderr }).kind).toBe('failed');
    }),
  );
});

test('stops name branch, remote and the way on; addresses are shown without a password', () => {
  expect(fencedStop(place)).toMatchObject({
    code: 'PUSH_REJECTED',
    hint: expect.stringContaining('git fetch origin runner/a'),
  });
  expect(unpushedStop(place, 'no host')).toMatchObject({
    code: 'PUSH_FAILED',
    hint: 'git push origin runner/a',
  });
  expect(shownAddress('https://me:secret@host/x.git')).toBe('https://host/x.git');
  expect(shownAddress('git@host:x.git')).toBe('git@host:x.git');
});
