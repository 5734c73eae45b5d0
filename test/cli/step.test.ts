import { expect, test } from 'vitest';
import { answer, project, write } from '../support/project.ts';

test('done with a green guard passes the leaf and commits once', async () => {
  const p = await project({ script: [{ actions: [write('a.txt', 'a\n')], answer: answer('done') }] });
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=1 node=root status=done guard=pass',
  });
  expect(p.tree().passes).toBe(true);
  expect(await p.status()).toBe('');
  expect((await p.subjects())[0]).toBe('chore(loop): run test iter 1 node root status=done guard=pass');
  expect(await p.run('step')).toMatchObject({ code: 2, out: 'step: status=complete run=test' });
});
