/** Objects that nothing refers to yet are anybody's to clean away: the work of an iteration is committed whole all the same (§1, §5). */
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

/** As if they had been written a while ago: git takes younger files for changed and reads them again. */
const age = 'touch -d "1 minute ago"';

test('an agent and a guard that clean up the repository neither stop the run nor lose a file', async () => {
  const p = await project({
    agent: shellAgent,
    guard: shellGuard,
    tree: node('root', { max_attempts: 9, children: [] }),
  });
  playGuard(p, 'git gc --quiet --prune=now');
  playAgent(p, `echo 1 > work.txt; ${age} work.txt; answer retry`);
  expect(await p.run('step')).toMatchObject({ code: 0 });
  playAgent(
    p,
    `seq 900000 > long.txt; echo last > z.txt; ${age} long.txt z.txt; git gc --quiet --prune=now; answer done`,
  );
  const second = await p.run('step');
  expect(second, second.err).toMatchObject({ code: 0 });
  expect(second.out).toContain('status=done guard=pass');
  expect(await p.git('show', 'HEAD:z.txt')).toBe('last');
  expect(await p.git('fsck', '--strict', '--full', '--no-dangling')).toBe('');
  expect(await p.status()).toBe('');
});
