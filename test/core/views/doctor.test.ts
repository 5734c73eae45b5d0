/** What doctor makes of what it found. */
import { describe, expect, test } from 'vitest';
import {
  checkAgents,
  checkDisk,
  checkEscapes,
  checkEnvironment,
  checkGit,
  checkHooks,
  checkNode,
  countChecks,
} from '../../../src/core/views/doctor.ts';
import type { AgentFacts } from '../../../src/core/views/doctor.ts';
import { configWith } from '../../support/facts.ts';

test('Node and git', () => {
  expect(checkNode('20.20.2').status).toBe('ok');
  expect(checkNode('18.0.0')).toMatchObject({
    status: 'fail',
    fix: expect.stringContaining('nodejs.org') as string,
  });
  expect(checkGit('git version 2.39.5')).toMatchObject({ status: 'ok', message: 'git version 2.39.5' });
  expect(checkGit('git version 2.30.0').status).toBe('warn');
  expect(checkGit(null)).toMatchObject({ status: 'fail', fix: 'install git' });
});

const login = { used: 'login of x', variable: null, hidden: [], missing: null, fix: 'x login' };
const facts: AgentFacts = {
  name: 'x',
  role: 'agent',
  program: '/bin/x',
  version: '1.0',
  proven: ['0.9', '1.0'],
  hazard: null,
  installHint: 'npm i x',
  login,
};

describe('an agent', () => {
  test.each<[string, Partial<AgentFacts>, string, string, string | null]>([
    ['in order', {}, 'ok', 'the configured agent, 1.0, login: login of x', null],
    [
      'without a version',
      { version: null, login: null },
      'ok',
      'the configured agent, version unknown',
      null,
    ],
    ['missing', { program: null }, 'fail', 'the configured agent, but its program was not found', 'npm i x'],
    [
      'missing reviewer',
      { program: null, role: 'reviewer' },
      'fail',
      'the configured reviewer, but its program was not found',
      'npm i x',
    ],
    [
      'newer than proven',
      { version: 'x 1.2.0', login: null },
      'ok',
      'the configured agent, x 1.2.0 (newer than the proven 0.9, 1.0)',
      null,
    ],
    [
      'another that would fail',
      { role: 'other', hazard: { what: 'no command works here', fix: 'move it' } },
      'ok',
      'not configured, 1.0, login: login of x',
      null,
    ],
    [
      'not logged in',
      { login: { ...login, used: null } },
      'warn',
      'the configured agent, 1.0, no login found',
      'x login',
    ],
    [
      'a login that lacks its key',
      { login: { ...login, used: 'provider p', missing: 'K is not set', fix: 'export K=<key>' } },
      'warn',
      'the configured agent, 1.0, login: provider p, but K is not set',
      'export K=<key>',
    ],
    [
      'settings that cannot be read',
      { login: { ...login, used: null, missing: 'f is not JSON', fix: 'correct f' } },
      'warn',
      'the configured agent, 1.0, no login found, but f is not JSON',
      'correct f',
    ],
    [
      'another, not logged in',
      { role: 'other', login: { ...login, used: null } },
      'ok',
      'not configured, 1.0, no login found',
      null,
    ],
    [
      'a key over a subscription',
      { login: { ...login, used: 'API key in K', variable: 'K', hidden: ['login of x'] } },
      'warn',
      'the configured agent, 1.0, login: API key in K, which overrides: login of x',
      'to use the other one: unset K',
    ],
    [
      'a file over a file',
      { login: { ...login, hidden: ['old login'] } },
      'ok',
      'the configured agent, 1.0, login: login of x, which overrides: old login',
      null,
    ],
    [
      'another with a key',
      { role: 'other', login: { ...login, variable: 'K', hidden: ['l'] } },
      'ok',
      'not configured, 1.0, login: login of x, which overrides: l',
      null,
    ],
  ])('%s', (...row) => {
    const [, other, status, message, fix] = row;
    expect(checkAgents([{ ...facts, ...other }])).toEqual([{ status, name: 'agent.x', message, fix }]);
  });

  test('where its sessions would fail, beside the rest, and only of one that will run', () => {
    const hazard = { what: 'no command works here', fix: 'move it' };
    expect(checkAgents([{ ...facts, hazard }])).toEqual([
      ...checkAgents([facts]),
      { status: 'warn', name: 'agent.x.sandbox', message: hazard.what, fix: hazard.fix },
    ]);
    const missing = { ...facts, program: null };
    expect(checkAgents([{ ...missing, hazard }])).toEqual(checkAgents([missing]));
  });

  test('those that are neither there nor needed share a line', () => {
    const missing = { ...facts, role: 'other', program: null } as const;
    expect(
      checkAgents([facts, { ...missing, name: 'y' }, { ...missing, name: 'z' }]).map(
        ({ message }) => message,
      ),
    ).toEqual(['the configured agent, 1.0, login: login of x', 'not installed and not needed: y, z']);
  });

  test('before one is chosen none is called needless, and without any there is a way to get one', () => {
    const missing = { ...facts, role: 'other', program: null } as const;
    expect(checkAgents([missing, { ...missing, name: 'y' }])).toEqual([
      { status: 'ok', name: 'agents', message: 'not installed: x, y', fix: missing.installHint },
    ]);
    const [, rest] = checkAgents([
      { ...facts, role: 'other' },
      { ...missing, name: 'y' },
    ]);
    expect(rest).toEqual({ status: 'ok', name: 'agents', message: 'not installed: y', fix: null });
  });
});

test('disk', () => {
  expect(checkDisk(null, 'f').status).toBe('ok');
  expect(checkDisk(5 * 1024 ** 3, 'f')).toMatchObject({ status: 'ok', message: '5.0 GiB free (f)' });
  expect(checkDisk(0.5 * 1024 ** 3, 'f').status).toBe('warn');
  expect(checkDisk(1024, 'f').status).toBe('fail');
});

test('hooks', () => {
  expect(checkHooks({ active: [], dead: [] }, false)).toMatchObject({
    status: 'ok',
    message: 'no git hooks',
  });
  expect(checkHooks({ active: ['pre-commit'], dead: [] }, true).message).toBe(
    "run on the runner's commits: pre-commit",
  );
  expect(checkHooks({ active: ['pre-commit'], dead: [] }, false)).toMatchObject({
    status: 'ok',
    fix: 'to run them: runner config set git.run_hooks true',
  });
  expect(checkHooks({ active: [], dead: ['pre-push'] }, true)).toMatchObject({ status: 'warn' });
});

test('environment: what is left out, by kind, and who gets it all the same', () => {
  expect(checkEnvironment([], null)).toMatchObject([{ status: 'ok', name: 'environment', fix: null }]);
  const leftOut = [
    { name: 'A_TOKEN', kind: 'secret' },
    { name: 'B_TOKEN', kind: 'secret' },
    { name: 'C_TOKEN', kind: 'secret' },
    { name: 'D_\u001b[31mTOKEN', kind: 'secret' },
    { name: 'NODE_OPTIONS', kind: 'tool' },
  ] as const;
  const config = configWith({
    agent: { env: ['A_TOKEN', 'B_TOKEN'] },
    guard: { env: ['A_TOKEN', 'C_TOKEN'] },
  });
  const start = 'agent and guard do not get';
  expect(checkEnvironment(leftOut, config)).toMatchObject([
    { name: 'environment.tool', message: `${start} (makes a tool load or run something else): NODE_OPTIONS` },
    {
      status: 'ok',
      name: 'environment.secret',
      message: `${start} (has a word of a secret in its name): B_TOKEN (agent gets it), C_TOKEN (guard gets it), D_TOKEN`,
      fix: `to let one in: runner config set agent.env '["NAME"]'; for the guard: guard.env`,
    },
  ]);
  expect(checkEnvironment([leftOut[0]], config)).toMatchObject([{ name: 'environment' }]);
});

test('how many of each', () => {
  expect(countChecks([checkNode('20.20.2'), checkGit(null), checkDisk(1, 'f')])).toEqual({
    ok: 1,
    warn: 0,
    fail: 2,
  });
});

test('ways out of the sandbox: one that was found fails, one that was not tried warns', () => {
  const checks = checkEscapes([
    { name: 'home', outcome: 'held', detail: 'ENOENT' },
    { name: 'devices', outcome: 'held', detail: '' },
    { name: 'network', outcome: 'escaped', detail: 'a server\u0007 answered' },
    { name: 'remount', outcome: 'not_tried', detail: 'no end' },
  ]);
  expect(checks.map(({ status, name }) => `${status} ${name}`)).toEqual([
    'ok sandbox.home',
    'ok sandbox.devices',
    'fail sandbox.network',
    'warn sandbox.remount',
  ]);
  expect(checks.map(({ message }) => message)).toEqual([
    'held: read and write the home folder (ENOENT)',
    'held: open a device of the machine',
    'got out: reach a server on this machine while the network is off (a server answered)',
    'not tried: mount / writable again (no end)',
  ]);
});
