/** §9 `guard.protect`: files of the bootstrap commit that match are put back, kept in the log and told; files the run made are free. */
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { playAgent, shellAgent, shellGuard, playGuard } from '../support/shell-agent.ts';

test('protected files come back after every session, whatever its outcome', async () => {
  const p = await project({
    agent: shellAgent,
    config: `[guard]\ncommand = ${JSON.stringify(shellGuard)}\npolicy = "protect"\nprotect = ["tests/**", "*.lock", "./ci"]\n`,
    files: {
      'tests/a.test': 'a\n',
      'tests/deep/b.test': 'b\n',
      'x.lock': 'lock\n',
      'sub/x.lock': 'free\n',
      'ci/check': 'check\n',
    },
  });
  playGuard(
    p,
    'cat tests/a.test tests/deep/b.test x.lock ci/check; test -f tests/new.test && test "$(cat ok)" = yes',
  );
  playAgent(
    p,
    `case $RUNNER_ITER in
    1) echo weak > tests/a.test; rm -rf tests/deep; rm x.lock; ln -s /etc/passwd x.lock; echo w > sub/x.lock
       echo new > tests/new.test; echo no > ok; chmod +x ci/check; answer done "weakened" ;;
    2) echo weak > tests/a.test; echo newer > tests/new.test; exit 1 ;;
    3) git rm -q -r tests ci; git commit -q -m "gone"; mkdir tests; echo newest > tests/new.test; echo yes > ok; answer done ;;
    esac`,
  );
  const ran = await p.run('loop');
  expect(ran.code, ran.err).toBe(0);
  const weakened = await recorded(p, 1);
  expect(weakened).toMatchObject({ status: 'done', guard: 'fail', attempts: 1 });
  const paths = ['ci/check', 'tests/a.test', 'tests/deep/b.test', 'x.lock'];
  expect(weakened.meta.notes).toEqual(paths.map((path) => `put back protected file ${path}`));
  expect(weakened.last?.error).toBe(
    `These files are protected (guard.policy) and were put back: ${paths.join(', ')}`,
  );
  expect(p.log(2, 'prompt.md')).toContain('These files are protected (guard.policy)');
  expect(p.log(1, 'guard.log'), 'the guard saw the real ones').toBe('a\nb\nlock\ncheck\n');
  expect(p.log(1, 'kept/tests/a.test')).toBe('weak\n');
  expect(await weakened.file('sub/x.lock'), 'a glob without a slash names the top only').toBe('w');
  expect(await weakened.file('tests/new.test')).toBe('new');
  expect(await p.git('ls-tree', 'HEAD', 'ci/check')).toMatch(/^100644 /u);

  const failed = await recorded(p, 2);
  expect(failed).toMatchObject({ status: 'retry', guard: 'skipped' });
  expect(await failed.file('tests/a.test')).toBe('a');
  expect(await failed.file('tests/new.test'), 'made by the run, so free').toBe('newer');
  const passed = await recorded(p, 3);
  expect(passed).toMatchObject({ status: 'done', guard: 'pass' });
  for (const [path, text] of [
    ['tests/a.test', 'a'],
    ['tests/deep/b.test', 'b'],
    ['x.lock', 'lock'],
    ['ci/check', 'check'],
  ] as const)
    expect(await passed.file(path), path).toBe(text);

  expect(await p.status()).toBe('');
});
