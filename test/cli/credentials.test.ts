/** Which login is used, told before it is used; and that a key goes to the agent it belongs to and to nobody else. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allCredentialNames } from '../../src/adapters/processes/credential-names.ts';
import { claudeDone, codexDone, playFake, seenBy } from '../support/fake-agent.ts';
import { project, unstartedProject } from '../support/project.ts';
import { playGuard, shellGuard } from '../support/shell-agent.ts';
import { template } from '../support/template.ts';
import { node } from '../support/trees.ts';

const started = template(async () => {
  const p = await project({
    agent: 'name = "claude"',
    guard: shellGuard,
    tree: node('root', { children: [node('a'), node('b', { order: 1 }), node('c', { order: 2 })] }),
  });
  playGuard(p, 'env -0 > "$HOME/guard.env"');
  return p;
});

function login(err: string): string | undefined {
  return /^iter \d+: .*, login: (.*), rings: .*$/mu.exec(err)?.[1];
}

test('the line of an iteration says which login is used, and what it hides, without the secret', async () => {
  const p = await started();
  const path = playFake(p, 'claude', {
    agent: ['a', 'b', 'c'].map((name) => claudeDone(`echo ${name} > ${name}.txt`)),
  });
  const none = await p.runWith(path, 'step');
  expect(none, none.err).toMatchObject({ code: 0 });
  expect(login(none.err)).toBe('none found: start claude and log in (or set ANTHROPIC_API_KEY)');
  mkdirSync(join(p.home, '.claude'));
  writeFileSync(join(p.home, '.claude/.credentials.json'), '{"secret":"s3cret-file"}');
  const file = await p.runWith(path, 'step');
  expect(login(file.err)).toBe('login of claude (.credentials.json)');
  const key = await p.runWith({ ...path, ANTHROPIC_API_KEY: 's3cret-key' }, 'step');
  expect(login(key.err)).toBe(
    'API key in ANTHROPIC_API_KEY, which overrides: login of claude (.credentials.json)',
  );
  expect(`${key.err}${file.err}${p.log(3, 'meta.json')}`).not.toContain('s3cret');
});

test('start says it too, before anything is spent', async () => {
  const p = await unstartedProject({ agent: 'name = "claude"' });
  // Of an agent that is not installed only that is said.
  const path = playFake(p, 'claude', { agent: [] });
  const keys = { ANTHROPIC_API_KEY: 's3cret-key', CODEX_API_KEY: 's3cret-too' };
  const ran = await p.runWith({ ...path, ...keys }, 'start');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.err.split('\n')).toContain('agent claude, login: API key in ANTHROPIC_API_KEY');
  expect(ran.err).not.toContain('s3cret');
});

test('each agent gets its own variables only; the guard gets none of any agent', async () => {
  const p = await started();
  const names = [...allCredentialNames].filter((name) => !['CLAUDE_CONFIG_DIR', 'CODEX_HOME'].includes(name));
  expect(names.length).toBeGreaterThan(10);
  const keys = Object.fromEntries(names.map((name) => [name, `secret of ${name}`]));
  const path = {
    ...playFake(p, 'claude', { agent: [claudeDone('echo a > a.txt')] }),
    ...playFake(p, 'codex', { agent: [codexDone('echo b > b.txt')] }),
  };
  const held = (file: Readonly<Record<string, string>>): readonly string[] =>
    Object.entries(file).flatMap(([name, value]) => (value.startsWith('secret of ') ? [name] : []));
  const guard = (): string => readFileSync(join(p.home, 'guard.env'), 'utf8');

  const claude = await p.runWith({ ...path, ...keys, MINE: 'of the user' }, 'step');
  expect(claude, claude.err).toMatchObject({ code: 0 });
  const byClaude = held(seenBy(p, 'claude.agent.1').env);
  expect(byClaude).toContain('ANTHROPIC_API_KEY');
  expect(byClaude.filter((name) => !/^(?:ANTHROPIC|CLAUDE)_|^IS_SANDBOX$/u.test(name))).toEqual([]);
  expect(guard()).not.toContain('secret of');
  expect(guard()).toContain('MINE=of the user');

  const codex = await p.runWith({ ...path, ...keys, RUNNER_AGENT_NAME: 'codex' }, 'step');
  expect(codex, codex.err).toMatchObject({ code: 0 });
  const byCodex = held(seenBy(p, 'codex.agent.1').env);
  expect(byCodex).toContain('CODEX_API_KEY');
  expect(byCodex.filter((name) => !/^(?:CODEX|OPENAI)_/u.test(name))).toEqual([]);
  expect(guard()).not.toContain('secret of');
  expect(login(codex.err)).toBe('API key in CODEX_API_KEY');
});
