import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requireInstalled } from '../../../src/adapters/agents/agent-program.ts';
import { agentSession } from '../../../src/adapters/agents/agent-session.ts';
import { executorTable } from '../../../src/adapters/agents/executors/table.ts';
import { layout } from '../../../src/adapters/files/layout.ts';
import { configWith } from '../../support/facts.ts';
import { sessionOptions, stage } from '../../support/sessions.ts';

test('name, version and model', async () => {
  const at = stage();
  const bin = at.program(
    'my-codex',
    '[ "$1" = --version ] && printf "\\n codex-cli \\033[1m0.166.0\\nmore\\n"',
  );
  const session = agentSession(sessionOptions(at));
  expect(await session.describe(configWith({ agent: { name: 'codex', bin, model: 'm' } }))).toEqual({
    name: 'codex',
    version: 'codex-cli 0.166.0',
    model: 'm',
    effort: null,
  });
  const command = configWith({ agent: { name: 'command', command: [bin] } });
  expect(await session.describe(command)).toEqual({
    name: 'command',
    version: null,
    model: null,
    effort: null,
  });
  const scripted = configWith({ agent: { name: 'scripted', script: 's' } });
  await expect(session.describe(scripted)).rejects.toMatchObject({
    code: 'AGENT_MISSING',
    message: "the script 's' of the agent 'scripted' was not found",
  });
  writeFileSync(join(at.top, 's'), '{}');
  await expect(session.describe(scripted)).rejects.toMatchObject({ code: 'SCRIPT_INVALID' });
  writeFileSync(join(at.top, 's'), '{"version":1,"steps":[]}');
  expect(await session.describe(scripted)).toMatchObject({ name: 'scripted', version: null });
});

test('no version is no error', async () => {
  const at = stage();
  const session = agentSession(sessionOptions(at));
  for (const lines of ['exit 1', 'echo 1.0; exit 1', 'true']) {
    const bin = at.program('my-claude', lines);
    expect(await session.describe(configWith({ agent: { name: 'claude', bin } }))).toEqual({
      name: 'claude',
      version: null,
      model: null,
      effort: null,
    });
  }
});

test.each([
  [
    { name: 'codex' } as const,
    "the program 'codex' of the agent 'codex' was not found",
    /npm install -g @openai\/codex/,
  ],
  [
    { name: 'claude', bin: './gone' } as const,
    "the program './gone' of the agent 'claude' was not found",
    /claude-code/,
  ],
  [
    { name: 'command', command: ['gone'] } as const,
    "the program 'gone' of the agent 'command' was not found",
    /agent\.command/,
  ],
])('a missing program: %j', async (agent, message, hint) => {
  const at = stage();
  const session = agentSession(sessionOptions(at, { env: { PATH: join(at.top, 'empty') } }));
  await expect(session.describe(configWith({ agent }))).rejects.toMatchObject({
    code: 'AGENT_MISSING',
    message,
    hint: expect.stringMatching(hint) as unknown,
  });
});

test('a link to a program is fine', async () => {
  const at = stage();
  symlinkSync(at.program('real', 'echo 2'), join(at.top, 'codex'));
  const session = agentSession(
    sessionOptions(at, { env: { PATH: `${at.top}:${process.env['PATH'] ?? ''}` } }),
  );
  expect(await session.describe(configWith({ agent: { name: 'codex' } }))).toMatchObject({ version: '2' });
});

test('a file that is not executable is named as that, with the command that helps', async () => {
  const at = stage();
  writeFileSync(join(at.top, 'agent.sh'), 'true\n');
  const config = configWith({ agent: { name: 'command', command: ['./agent.sh'] } });
  await expect(agentSession(sessionOptions(at)).describe(config)).rejects.toMatchObject({
    code: 'AGENT_MISSING',
    message: "the program './agent.sh' of the agent 'command' is not executable",
    hint: `chmod +x ${join(at.top, 'agent.sh')}`,
  });
});

test('for a run in a work tree of its own: a relative path is looked for there, and not yet', async () => {
  const at = stage();
  const place = { place: layout(at.top), env: { PATH: join(at.top, 'empty') } };
  const look = async (bin: string): Promise<void> => {
    const config = configWith({ agent: { name: 'codex', bin } });
    await requireInstalled(place, { spec: executorTable(null).codex, config });
  };
  await look('./made-by-setup');
  await look(at.program('real', 'true'));
  for (const bin of ['gone', join(at.top, 'gone')]) {
    await expect(look(bin)).rejects.toMatchObject({
      code: 'AGENT_MISSING',
      message: `the program '${bin}' of the agent 'codex' was not found`,
    });
  }
});
