import { expect, test } from 'vitest';
import { unstartedProject } from '../support/project.ts';
import { playAgent, shellAgent } from '../support/shell-agent.ts';

test('try', async () => {
  const p = await unstartedProject({ agent: shellAgent, goal: '# Landing page\n\nMake it.\n' });
  playAgent(p, 'echo hi > made.txt; env | grep -E "RUNNER|TMPDIR|COMPOSE" > seen.txt; answer done');
  const ran = await p.run('run', 'start', '--wait');
  console.log(ran);
  console.log(await p.git('log', '--oneline', '--all'), await p.git('worktree', 'list', '--porcelain'));
  const ran2 = await p.run('run', 'start');
  console.log(ran2);
  for (let i = 0; i < 40; i++) {
    await new Promise((r) => setTimeout(r, 200));
    if (p.read('.git/runner/runs/landing-page-2.json').includes('finished_at": "')) break;
  }
  console.log(
    p.read('.git/runner/runs/landing-page-2.json'),
    p.read('.git/runner/runs/landing-page-2.progress.txt'),
  );
  console.log(
    await p.git('show', 'runner/landing-page-2:seen.txt'),
    p.read('.git/runner/logs/landing-page-2/work.log'),
  );
  console.log(await p.status());
  expect(1).toBe(1);
});
