/** Whole iterations with a session that turns git against the runner (§14): the pass stands or falls with the bytes, and nothing hangs. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';

async function made() {
  const p = await project({ agent: shellAgent, guard: shellGuard });
  playGuard(p, 'test "$(cat feature.txt)" = good');
  return p;
}

/** Each would end in a false pass, a hang, a dead end or a write outside without the second ring. */
const attacks: readonly { readonly name: string; readonly script: string }[] = [
  {
    name: 'a clean filter that commits other bytes',
    script: `git config filter.x.clean 'echo bad; touch "$HOME/ran"'; echo '* filter=x' > .git/info/attributes`,
  },
  {
    name: 'ignore rules that only this machine has',
    script: `echo feature.txt > .git/info/exclude; echo feature.txt > "$HOME/ignored"; git config --global core.excludesFile "$HOME/ignored"`,
  },
  {
    name: 'pipes where git reads first',
    script:
      'rm .git/HEAD .git/config; mkfifo .git/HEAD .git/config .git/packed-refs .gitignore; mkdir -p a/b; mkfifo a/b/.gitattributes',
  },
  {
    name: 'the private folder, refs and the reflog as links',
    script: `mkdir "$HOME/outside"; rm -rf .git/runner/index .git/logs; ln -s "$HOME/outside" .git/logs; ln -s "$HOME/outside" .git/refs/heads/linked`,
  },
  {
    name: 'another repository through commondir',
    script: `git init -q "$HOME/other"; echo "$HOME/other/.git" > .git/commondir`,
  },
  { name: 'another git folder in its place', script: `mv .git was-git; git init -q .; echo > .git/x` },
];

test.each(attacks)('$name', async ({ script }) => {
  const p = await made();
  playAgent(p, `echo good > feature.txt\nanswer done\n${script}`);
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.out, ran.err).toContain('status=done guard=pass');
  expect(await p.git('show', 'HEAD:feature.txt')).toBe('good');
  expect(await p.git('status', '--porcelain')).toBe('');
  expect((await recorded(p, 1)).meta.notes.length).toBeGreaterThan(0);
  expect(existsSync(join(p.home, 'ran'))).toBe(false);
  if (existsSync(join(p.home, 'outside'))) expect(readdirSync(join(p.home, 'outside'))).toEqual([]);
  const store = join(p.home, '.local/state/runner/steering');
  expect(readdirSync(store).flatMap((name) => readdirSync(join(store, name)))).toEqual([]);
});

test('a session that kills the runner: the next step puts the settings back before it asks git anything', async () => {
  const p = await made();
  const config = readFileSync(join(p.top, '.git/config'), 'utf8');
  playAgent(
    p,
    `echo good > feature.txt
    git tag precious "$(git commit-tree -m precious HEAD^{tree})"
    git config filter.x.clean 'touch "$HOME/ran"; echo bad'; echo '* filter=x' > .git/info/attributes
    rm .git/HEAD; mkfifo .git/HEAD .gitignore
    kill -9 "$PPID"; sleep 0.1`,
  );
  expect((await p.run('step')).signal).toBe('SIGKILL');
  playAgent(p, 'echo good > feature.txt; answer done');
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(ran.err).toContain('put back .git/config (filter.x.clean was set)');
  expect(existsSync(join(p.home, 'ran'))).toBe(false);
  expect(readFileSync(join(p.top, '.git/config'), 'utf8')).toBe(config);
  expect(await p.git('show', 'HEAD:feature.txt')).toBe('good');
});

test('the private folder as a link to elsewhere: nothing is written there', async () => {
  const p = await made();
  playAgent(
    p,
    `echo good > feature.txt; answer done; cp -r .git/runner "$HOME/outside"; rm -r .git/runner
    ln -s "$HOME/outside" .git/runner; ls -l --full-time "$HOME/outside" > "$HOME/listed"`,
  );
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({ code: 0 });
  expect(await p.git('show', 'HEAD:feature.txt')).toBe('good');
  expect(await p.git('status', '--porcelain')).toBe('');
  const listed = execFileSync('ls', ['-l', '--full-time', join(p.home, 'outside')], { encoding: 'utf8' });
  expect(listed).toBe(readFileSync(join(p.home, 'listed'), 'utf8'));
});
