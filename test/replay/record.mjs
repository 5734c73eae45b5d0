/**
 * Adds a recording: plays a script with the built runner in a throw-away repository and keeps what each iteration was judged on and what
 * came of it. Usage: node test/replay/record.mjs <name> <script.json> <guard argv…>. Recordings are only added, never edited.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [name, script, ...guard] = process.argv.slice(2);
const here = fileURLToPath(new URL('.', import.meta.url));
const target = join(here, name);
if (existsSync(target)) throw new Error(`${target} is there already; recordings are never changed`);
const repo = mkdtempSync(join(tmpdir(), 'runner-record-'));
const git = (...args) => execFileSync('git', ['-C', repo, ...args], { encoding: 'utf8' });
const runner = (...args) =>
  spawnSync(process.execPath, [join(here, '../../bin/runner.js'), ...args], { cwd: repo, encoding: 'utf8' });

git('init', '-q', '-b', 'main');
git('config', 'user.name', 'Recorder');
git('config', 'user.email', 'recorder@test.invalid');
cpSync(script, join(repo, 'script.json'));
git('add', '-A');
git('commit', '-q', '-m', 'script');
runner('init');
writeFileSync(join(repo, '.runner/GOAL.md'), '---\nid: replay\n---\n\nReplay.\n');
writeFileSync(
  join(repo, '.runner/state/config.toml'),
  `max_attempts_default = 4\n\n[agent]\nname = "scripted"\nscript = "script.json"\n\n[guard]\ncommand = ${JSON.stringify(guard)}\n`,
);
git('add', '-A');
git('commit', '-q', '-m', 'configure');
runner('start');
const ran = runner('loop');
process.stdout.write(ran.stdout);

const commits = git('log', '--reverse', '--format=%H %s').trim().split('\n');
for (const line of commits.filter((text) => text.includes(' iter '))) {
  const [commit] = line.split(' ');
  const iter = line.split(' iter ')[1].split(' ')[0];
  const folder = join(target, iter);
  const log = join(repo, '.runner/iterations/replay', iter);
  mkdirSync(folder, { recursive: true });
  for (const file of [
    'tree.before.json',
    'tree.agent.json',
    'tree.after.json',
    'output.json',
    'meta.json',
    'guard.log',
  ]) {
    if (existsSync(join(log, file))) cpSync(join(log, file), join(folder, file));
  }
  writeFileSync(join(folder, 'message.txt'), git('log', '-1', '--format=%B', commit));
  writeFileSync(
    join(folder, 'run_state.before.json'),
    git('show', `${commit}^:.runner/state/run_state.json`),
  );
  writeFileSync(join(folder, 'run_state.after.json'), git('show', `${commit}:.runner/state/run_state.json`));
  const last = `.runner/nodes/${JSON.parse(readFileSync(join(log, 'meta.json'), 'utf8')).node_id}/last.json`;
  for (const [when, rev] of [
    ['before', `${commit}^`],
    ['after', commit],
  ]) {
    const shown = spawnSync('git', ['-C', repo, 'show', `${rev}:${last}`], { encoding: 'utf8' });
    if (shown.status === 0) writeFileSync(join(folder, `last.${when}.json`), shown.stdout);
  }
}
writeFileSync(join(target, 'config.toml'), git('show', 'HEAD:.runner/state/config.toml'));
