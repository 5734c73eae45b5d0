import { expect, test } from 'vitest';
import { listPaths, planTemps } from '../../../src/eval/cases/own-temps.ts';

const home = '/dev/shm/x/home';

test('folders for temporary files are empty, but for what a trial needs', () => {
  const { emptied, kept, isGone } = planTemps({
    temps: ['/tmp', '/dev/shm', '/tmp', `${home}/tmp`, '/'],
    needed: [home, '/usr/bin', '/tmp/agent.sh', home],
  });
  expect(emptied).toEqual(['/tmp', '/dev/shm', `${home}/tmp`]);
  expect(kept).toEqual([home, '/tmp/agent.sh']);
  const paths = ['/tmp/a', '/dev/shm/x', home, `${home}/state/eval`, `${home}/tmp/b`, '/tmpfiles', '/usr'];
  expect(paths.filter(isGone)).toEqual(['/tmp/a', '/dev/shm/x', `${home}/tmp/b`]);
});

test('a folder that is needed itself stays', () => {
  const { emptied, kept, isGone } = planTemps({ temps: ['/tmp'], needed: ['/tmp'] });
  expect([emptied, kept, isGone('/tmp/a')]).toEqual([[], [], false]);
});

test('paths in variables and in a line of the shell', () => {
  expect(listPaths(['/usr/bin:/tmp/b:c', `sh -c '/tmp/agent.sh --log="/tmp/log"' > /dev/null`, 'x'])).toEqual(
    [...['/usr/bin', '/tmp/b', '/tmp/agent.sh', '/tmp/log', '/dev/null']],
  );
});
