/** Hard links that a session puts where the runner writes: what they lead to is never written to. */
import { linkSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEventLog } from '../../src/adapters/files/event-log.ts';
import { openFiles } from '../../src/adapters/processes/output-files.ts';
import { project } from '../support/project.ts';
import { scratchFolder } from '../support/scratch.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

const logs = [
  'guard.log',
  'meta.json',
  'executor.log',
  'prompt.md',
  'output.json',
  'diff.patch',
  'events.jsonl',
];
const more = [
  'tree.before.json',
  'tree.after.json',
  'tree.agent.json',
  'agent_error.log',
  'runner_error.log',
];
const state = ['state/tree.json', 'state/run_state.json', 'nodes/leaf/last.json', 'state/config.toml'];

test('in the log and in the state, of this iteration and of the next', async () => {
  const p = await project({
    agent: shellAgent,
    guard: shellGuard,
    tree: node('root', { children: [node('leaf')] }),
  });
  const names = [...logs, ...more];
  const victim = (name: string): string => join(p.home, `victim-${name.replaceAll('/', '-')}`);
  for (const name of [...names, ...state]) writeFileSync(victim(name), `outside ${name}\n`);
  const links = [
    ...names.flatMap((name) => [
      `ln -f "${victim(name)}" ".runner/iterations/test/$RUNNER_ITER/${name}"`,
      `ln -f "${victim(name)}" ".runner/iterations/test/$((RUNNER_ITER + 1))/${name}"`,
    ]),
    ...state
      .filter((name) => name !== 'state/tree.json')
      .map((name) => `ln -f "${victim(name)}" ".runner/${name}"`),
  ].join('\n');
  const plant = `mkdir -p ".runner/iterations/test/$((RUNNER_ITER + 1))" .runner/nodes/leaf\n${links}`;
  playAgent(p, `${plant}\necho "$RUNNER_ITER" > work.txt; answer done`);
  // A guard that fails writes last.json, and the links are there again.
  playGuard(
    p,
    `${plant}\ncp .runner/state/tree.json "${victim('state/tree.json')}"
    ln -f "${victim('state/tree.json')}" .runner/state/tree.json; echo red; [ "$RUNNER_ITER" = 2 ]`,
  );
  const first = await p.run('step');
  expect(first, first.err).toMatchObject({ code: 0 });
  const second = await p.run('step');
  expect(second, second.err).toMatchObject({ code: 0 });
  expect(second.out).toContain('guard=pass');
  for (const name of [...names, ...state.slice(1)])
    expect(readFileSync(victim(name), 'utf8'), name).toBe(`outside ${name}\n`);
  expect(readFileSync(victim('state/tree.json'), 'utf8')).toContain('"attempts": 1');
  expect(p.tree().passes).toBe(true);
  for (const name of ['meta.json', 'guard.log'])
    expect(statSync(join(p.dir, '.runner/iterations/test/2', name)).nlink, name).toBe(1);
});

test('events of a further session go to a file of their own', () => {
  const folder = scratchFolder();
  const outside = join(folder, 'outside');
  const file = join(folder, 'events.jsonl');
  writeFileSync(outside, 'mine\n');
  linkSync(outside, file);
  const log = openEventLog({
    folder: '/project',
    file,
    session: 2,
    role: 'agent',
    redact: (text) => text,
    clock: { nowIso: () => 'now' },
  });
  log.add({ type: 'message', text: 'hello', partial: false });
  log.close();
  expect(readFileSync(outside, 'utf8')).toBe('mine\n');
  expect(readFileSync(file, 'utf8')).toContain('hello');
});

test('a file for output with a second hard link is refused', () => {
  const folder = scratchFolder();
  const [outside, file] = [join(folder, 'outside'), join(folder, 'stdout.log')];
  writeFileSync(outside, 'mine\n');
  linkSync(outside, file);
  expect(() => openFiles({ stdinFile: null, stdoutFile: file, stderrFile: file })).toThrow(
    /second hard link/,
  );
});
