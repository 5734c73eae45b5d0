/**
 * Adds a recording: plays a script with the built runner in a throw-away repository and keeps what each iteration was judged on and what
 * came of it. Usage: node test/replay/record.mjs <name> <script.json> <guard argv…>. Recordings are only added, never edited.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [name, script, ...guard] = process.argv.slice(2);
const here = fileURLToPath(new URL('.', import.meta.url));
const target = join(here, `${name}.json`);
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

const lines = (text) => text.split('\n');
const iterations = {};
const commits = git('log', '--reverse', '--format=%H %s').trim().split('\n');
for (const line of commits.filter((text) => text.includes(' iter '))) {
  const [commit] = line.split(' ');
  const iter = line.split(' iter ')[1].split(' ')[0];
  const log = join(repo, '.runner/iterations/replay', iter);
  const files = {};
  for (const file of [
    'tree.before.json',
    'tree.agent.json',
    'tree.after.json',
    'output.json',
    'meta.json',
    'guard.log',
  ])
    if (existsSync(join(log, file))) files[file] = lines(readFileSync(join(log, file), 'utf8'));

  files['message.txt'] = lines(git('log', '-1', '--format=%B', commit));
  const last = `.runner/nodes/${JSON.parse(files['meta.json'].join('')).node_id}/last.json`;
  for (const [when, rev] of [
    ['before', `${commit}^`],
    ['after', commit],
  ]) {
    files[`run_state.${when}.json`] = lines(git('show', `${rev}:.runner/state/run_state.json`));
    const shown = spawnSync('git', ['-C', repo, 'show', `${rev}:${last}`], { encoding: 'utf8' });
    if (shown.status === 0) files[`last.${when}.json`] = lines(shown.stdout);
  }
  iterations[iter] = files;
}
const config = lines(git('show', 'HEAD:.runner/state/config.toml'));
writeFileSync(target, `${JSON.stringify({ 'config.toml': config, iterations }, null, 2)}\n`);
