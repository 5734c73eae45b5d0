/** What an agent was refused, and questions nobody could answer: a note, a line in meta.json, and a word to the next session. */
import { expect, test } from 'vitest';
import { claudeDone, claudeResult, codexDone, playFake, say, seenBy } from '../support/fake-agent.ts';
import { project } from '../support/project.ts';
import { recorded } from '../support/record.ts';

const denials = [
  { tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'rm -rf / \u001b[2J' } },
  { tool_name: 'AskUserQuestion', tool_use_id: 't2', tool_input: { question: 'Which one?' } },
  { tool_name: 'Bash', tool_use_id: 't3', tool_input: { command: 'rm -rf / \u001b[2J' } },
];
const notes = ['the agent was refused: Bash rm -rf /', 'the agent was refused: AskUserQuestion Which one?'];

test('claude lists them in its result, codex declines commands and says so on stderr', async () => {
  const p = await project({ agent: 'name = "claude"' });
  const answer = { status: 'retry', summary: 'could not', children: null };
  const path = playFake(p, 'claude', {
    agent: [claudeResult({ answer, denials }), claudeDone('echo x > x.txt')],
  });
  const first = await p.runWith(path, 'step');
  expect(first, first.err).toMatchObject({ code: 0 });
  for (const note of notes) expect(first.err).toContain(`  note: ${note}`);
  expect(first.err).not.toContain('\u001b');
  const record = await recorded(p, 1);
  expect(record.meta.notes.map((line) => line.replaceAll(/[^\x20-\x7e].*$/gu, '').trimEnd())).toEqual(notes);
  expect(record.last?.error).toContain('was refused the following');
  expect((await p.runWith(path, 'step')).code).toBe(0);
  const { prompt } = seenBy(p, 'claude.agent.2');
  expect(prompt).toMatch(
    /was refused the following; find another way:\n- Bash rm -rf \/.*\n- AskUserQuestion Which one\?/u,
  );
  expect(prompt).not.toContain('\u001b');
  expect((await recorded(p, 2)).meta.notes).toEqual([]);

  const q = await project({ agent: 'name = "codex"' });
  const declined = {
    id: 'i1',
    type: 'command_execution',
    command: 'sudo reboot',
    status: 'declined',
    exit_code: null,
  };
  const log =
    '2026-11-16T06:35:11Z ERROR codex_core::tools::router: error=request_user_input is unavailable in exec mode';
  const env = playFake(q, 'codex', {
    agent: [
      codexDone(`${say({ type: 'item.completed', item: declined })}; echo '${log}' >&2; echo x > x.txt`),
    ],
  });
  const ran = await q.runWith(env, 'step');
  expect(ran, ran.err).toMatchObject({ out: 'step: run=test iter=1 node=root status=done guard=pass' });
  expect((await recorded(q, 1)).meta.notes).toEqual([
    'the agent was refused: sudo reboot',
    'the agent was refused: request_user_input is unavailable in exec mode',
  ]);
});
