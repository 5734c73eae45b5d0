/** The place without a network, from outside: nothing gets out, every lookup is seen, and the exit code passes. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { namespaceWords } from './network.ts';

const [unshare = '', ...words] = namespaceWords();
const canUnshare = spawnSync(unshare, [...words, 'true']).status === 0;

function runOffline(script: string): {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
} {
  const tool = path.join(import.meta.dirname, 'run.mjs');
  const command = [process.execPath, '--input-type=module', '--eval', script];
  const { status, stdout, stderr } = spawnSync(process.execPath, [tool, 'offline', ...command], {
    encoding: 'utf8',
  });
  return { status, out: stdout, err: stderr };
}

test.skipIf(!canUnshare)('a lookup fails and is named', () => {
  const ran = runOffline(`try {
  await fetch('http://models.example.test/');
} catch (error) {
  console.log(error.cause.code);
  process.exitCode = 7;
}`);
  expect(ran).toMatchObject({ status: 7, out: 'ENOTFOUND\n' });
  expect(ran.err).toContain('looked up: models.example.test');
});

test.skipIf(!canUnshare)('an address outside is out of reach, and this machine is not', () => {
  const ran = runOffline(`import { createServer } from 'node:http';
const server = createServer((_request, response) => response.end('near')).listen(0, '127.0.0.1', async () => {
  const near = await fetch('http://127.0.0.1:' + server.address().port);
  console.log(await near.text());
  await fetch('http://192.0.2.1/').catch((error) => console.log(error.cause.code));
  server.close();
});`);
  expect(ran).toMatchObject({ status: 0, out: 'near\nENETUNREACH\n', err: '' });
});
