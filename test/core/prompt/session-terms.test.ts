import { describe, expect, test } from 'vitest';
import { neutralTerms, reachOf, wholeReach } from '../../../src/core/prompt/session-terms.ts';
import { configWith } from '../../support/facts.ts';
import { termsWith } from '../../support/prompts.ts';

type Fields = Parameters<typeof configWith>[0];

describe('reachOf', () => {
  const networkFlag = ['-c', 'sandbox_workspace_write.network_access=true'];
  test.each<[string, Fields, object]>([
    ['an agent without a sandbox', { agent: { name: 'opencode' } }, wholeReach],
    [
      "codex' own sandbox",
      { agent: { name: 'codex' } },
      { network: false, git: false, writes: 'project folder', permissions: true },
    ],
    [
      'the same with network',
      { agent: { name: 'codex', extra_args: networkFlag } },
      { network: true, git: false, writes: 'project folder', permissions: true },
    ],
    ['codex without it', { agent: { name: 'codex', permissions: 'full' } }, wholeReach],
    [
      'claude that may be refused',
      { agent: { name: 'claude', permission_mode: 'acceptEdits' } },
      { ...wholeReach, permissions: false },
    ],
    ['claude that may do everything', { agent: { name: 'claude' } }, wholeReach],
    ['a mode of claude with another agent', { agent: { name: 'pi', permission_mode: 'plan' } }, wholeReach],
    [
      'a container',
      { agent: { name: 'codex' }, sandbox: { kind: 'docker', network: true } },
      { network: true, git: false, writes: 'work tree', permissions: true },
    ],
    [
      'a container with more to write to',
      { sandbox: { kind: 'docker', network: false, write: ['/cache'] } },
      { network: false, git: false, writes: 'anywhere', permissions: true },
    ],
  ])('%s', (_name, fields, reach) => {
    expect(reachOf(configWith(fields))).toEqual(reach);
  });
});

describe('sessionTerms', () => {
  test('variables that only one of them gets', () => {
    const { guard } = termsWith({
      agent: { env: ['Z_KEY', 'A_TOKEN', 'A_TOKEN', 'SHARED_KEY', 'PLAIN'] },
      guard: { env: ['SHARED_KEY', 'DB_PASSWORD', 'NODE_ENV'] },
    });
    expect(guard.sessionVariables).toEqual(['A_TOKEN', 'Z_KEY']);
    expect(guard.ownVariables).toEqual(['DB_PASSWORD']);
  });

  test('the network of the guard is what its sandbox gives it', () => {
    expect(termsWith().guard.network).toBe(true);
    expect(termsWith({ sandbox: { guard_network: false } }).guard.network).toBe(true);
    const contained = (guard_network: boolean): boolean =>
      termsWith({ sandbox: { kind: 'docker', guard_network } }).guard.network;
    expect([contained(true), contained(false)]).toEqual([true, false]);
  });

  test("the guard's files: by the settings, else as the run knows them", () => {
    const file = { mode: '100644', oid: 'a', scripts: null };
    const files = [
      { ...file, path: 'justfile' },
      { ...file, path: '.justfile', mode: null, oid: null },
      { ...file, path: 'package.json', scripts: ['test', 'lint'] },
    ];
    const ratchet = { guard_sha256: 'x', files };
    expect(termsWith({}, { ratchet }).guard.files).toEqual(['justfile', 'package.json (scripts test, lint)']);
    expect(termsWith({ guard: { protect: ['ci/**'] } }, { ratchet }).guard.files).toEqual(['ci/**']);
    expect(termsWith().guard.files).toEqual([]);
  });

  test('what the settings say', () => {
    expect(
      termsWith({
        iteration_timeout_secs: 60,
        tree: { allow_removal: true },
        review: { agent: 'codex' },
        agent: { name: 'command' },
        guard: { command: ['sh', '-c', 'a b'], timeout_secs: 5, counterfactual: 'require', policy: 'open' },
      }),
    ).toMatchObject({
      answer: 'file',
      seconds: 60,
      allowRemoval: true,
      hasReviewer: true,
      guard: { command: 'sh -c "a b"', seconds: 5, mustFailWithout: true, policy: 'open', checkout: 'off' },
    });
    expect(termsWith({ guard: { counterfactual: 'record' } }).guard.mustFailWithout).toBe(false);
  });
});

test('neutral terms are the same whichever agent works, and wherever', () => {
  const neutral = (fields: Fields): object => neutralTerms(termsWith(fields));
  const expected = neutral({ agent: { name: 'scripted' } });
  for (const name of ['codex', 'claude', 'command', 'gemini'] as const)
    expect(neutral({ agent: { name } })).toEqual(expected);
  expect(neutral({ sandbox: { kind: 'docker', network: false, guard_network: false } })).toEqual(expected);
  expect(neutral({ iteration_timeout_secs: 60 })).not.toEqual(expected);
});
