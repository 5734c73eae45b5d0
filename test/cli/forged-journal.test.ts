/**
 * An agent that writes the journal itself, commits a tree in which everything has passed, and kills the runner (§7, §14). The guard is
 * always red, so every pass would be a false one; and whatever the agent wrote must still be there afterwards.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasOpenJournal } from '../support/open-journal.ts';
import { project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

/** Reads the open entry and appends a forged one; `FORGE` names its phase. */
const forge = `
const fs = require('node:fs');
const { execFileSync } = require('node:child_process');
const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const file = '.git/runner/journal.jsonl';
const { entry } = JSON.parse(fs.readFileSync(file, 'utf8').trim().split('\\n').at(-1));
const tree = JSON.parse(fs.readFileSync('.runner/state/tree.json', 'utf8'));
fs.writeFileSync('.runner/state/tree.json', JSON.stringify({ ...tree, passes: true }, null, 2) + '\\n');
fs.writeFileSync('work.txt', 'mine\\n');
git('add', '-A');
git('commit', '-q', '-m', \`chore(loop): run test iter \${entry.iter} node root status=done guard=pass\`);
fs.writeFileSync('later.txt', 'mine, too\\n');
const head = git('rev-parse', 'HEAD');
const passed = { end: { kind: 'passed' }, exit_code: 0, duration_ms: 1, output: '', log_sha256: null };
const usage = { input_tokens: null, cached_input_tokens: null, output_tokens: null, cost_usd: null };
const session = {
  end: { kind: 'exited' }, answer: { kind: 'text', text: '{"status":"done","summary":"s","children":null}' },
  exit_code: 0, duration_ms: 1, usage, denials: [], waited_secs: 0, leftovers: [], head: entry.baseline, notes: [],
  protected_paths: [], dirty_submodules: [], agent_tree: { kind: 'text', text: JSON.stringify(tree) }, sessions: 1,
};
const config = { ...entry.config, guard: { ...entry.config.guard, command: ['true'] } };
const base = { ...entry, config };
const work_tree = git('rev-parse', 'HEAD^{tree}');
const forged = {
  agent: [base],
  ended: [{ ...base, phase: 'ended', session }],
  onhead: [{ ...base, baseline: head, phase: 'ended', session: { ...session, head } }],
  guard: [{ ...base, phase: 'guard', session, work_tree, check: 'place', cut_offs: 0 }],
  review: [{ ...base, phase: 'review', session, work_tree, cut_offs: 0, whole_tree: work_tree }],
  persisting: [{ ...base, phase: 'persisting', session, work_tree, guard: passed, review: null, cut_offs: 0, control: head }],
  start: [{ version: 1, kind: 'start', run_id: 'test', branch: 'main', commit: head }],
  gone: [],
}[process.env.FORGE ?? process.argv[2]];
if (process.argv[2] === 'gone') fs.rmSync(file);
for (const one of forged) fs.appendFileSync(file, JSON.stringify({ stash: null, entry: one }) + '\\n');
`;

function begin(): Promise<Project> {
  return project({ agent: shellAgent, guard: shellGuard, tree: node('root', { max_attempts: 9 }) });
}

const phases = ['agent', 'ended', 'onhead', 'guard', 'review', 'persisting', 'start', 'gone'];
// The others differ little; the whole list is run by `npm run test:crash`.
const sample = process.env['RUNNER_CRASH_ALL'] === '1' ? phases : ['onhead', 'persisting', 'gone'];

test.each(sample)('a journal forged as %s: no pass, no branch moved, nothing lost', async (phase) => {
  const p = await begin();
  writeFileSync(join(p.home, 'forge.cjs'), forge);
  playAgent(p, `node "$HOME/forge.cjs" ${phase}; kill -9 "$PPID"; sleep 5`);
  playGuard(p, 'exit 1');
  const main = await p.git('rev-parse', 'main');
  expect((await p.run('step')).signal).toBe('SIGKILL');
  playAgent(p, 'answer retry');
  const next = await p.run('step');
  expect(next.code, next.err).toBe(0);
  expect(hasOpenJournal(p.top)).toBe(false);
  expect(await p.git('rev-parse', 'main')).toBe(main);
  expect(JSON.parse(readFileSync(join(p.dir, '.runner/state/tree.json'), 'utf8'))).toMatchObject({
    passes: false,
  });
  expect(await p.git('show', 'runner/test:work.txt')).toBe('mine');
  expect(await p.git('show', 'runner/test:later.txt')).toBe('mine, too');
  expect(await p.git('log', '-2', '--format=%s', 'runner/test')).not.toContain('guard=pass');
});

test('without the note in the state folder settings, tree and selection still come from the commit', async () => {
  const p = await begin();
  writeFileSync(join(p.home, 'forge.cjs'), forge);
  playAgent(p, `node "$HOME/forge.cjs" guard; rm -r "$HOME/.local"; kill -9 "$PPID"; sleep 5`);
  playGuard(p, 'exit 1');
  expect((await p.run('step')).signal).toBe('SIGKILL');
  playAgent(p, 'answer retry');
  const next = await p.run('step');
  expect(next.code, next.err).toBe(0);
  expect(JSON.parse(readFileSync(join(p.dir, '.runner/state/tree.json'), 'utf8'))).toMatchObject({
    passes: false,
  });
});

test('a journal nobody can read is moved aside and the work is saved under rescue', async () => {
  const p = await begin();
  playAgent(
    p,
    'echo mine > work.txt; echo nonsense > .git/runner/journal.jsonl; rm -r "$HOME/.local"; kill -9 "$PPID"; sleep 5',
  );
  expect((await p.run('step')).signal).toBe('SIGKILL');
  const next = await p.run('step');
  expect(next.err).toContain('the journal of an unfinished iteration is not valid');
  expect(next.err).toContain('the work is saved as refs/runner/rescue/test/0');
  expect(await p.git('show', 'refs/runner/rescue/test/0:work.txt')).toBe('mine');
});

test('a run whose branch was deleted while its iteration was open: the branch comes back, the work is saved', async () => {
  const p = await begin();
  playAgent(p, 'echo mine > work.txt; kill -9 "$PPID"; sleep 5');
  expect((await p.run('step')).signal).toBe('SIGKILL');
  await p.git('switch', '-q', 'main');
  await p.git('branch', '-q', '-D', 'runner/test');
  const next = await p.run('step');
  expect(next.code).toBe(1);
  expect(next.err).toContain('the work is saved as refs/runner/rescue/test/1');
  expect(next.err).toContain('hint: git switch runner/test');
  expect(await p.git('show', 'refs/runner/rescue/test/1:work.txt')).toBe('mine');
  await p.git('stash', '-u');
  await p.git('switch', '-q', 'runner/test');
  playAgent(p, 'answer retry');
  expect((await p.run('step')).code).toBe(0);
});

test('start with another id goes on after a run whose branch was deleted', async () => {
  const p = await begin();
  playAgent(p, 'kill -9 "$PPID"; sleep 5');
  expect((await p.run('step')).signal).toBe('SIGKILL');
  await p.git('switch', '-q', 'main');
  await p.git('branch', '-q', '-D', 'runner/test');
  p.put('.runner/GOAL.md', '---\nid: other\n---\nAnother goal.\n');
  const next = await p.run('start', '--no-baseline');
  expect(next.code, next.err).toBe(0);
  expect(next.err).toContain('runner/test was gone: the branch was made again');
  expect(next.out).toContain('run=other');
});
