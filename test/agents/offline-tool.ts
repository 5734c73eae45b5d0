/** `offline COMMAND...`: runs it in a namespace without network. Starts itself once more inside the namespace. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadLookups, namespaceWords, runOffline } from './network.ts';

const inside = '--inside-the-namespace';
const [first = '', ...rest] = process.argv.slice(2);

if (first === inside) {
  const [file = '', program = '', ...args] = rest;
  process.exitCode = await runOffline([program, ...args], file);
} else {
  const folder = mkdtempSync(path.join(tmpdir(), 'runner-lookups-'));
  const file = path.join(folder, 'names');
  const [unshare = '', ...words] = namespaceWords();
  const self = [process.execPath, process.argv[1] ?? '', inside, file, first, ...rest];
  const result = spawnSync(unshare, [...words, ...self], { stdio: 'inherit' });
  for (const name of loadLookups(file)) console.error(`looked up: ${name}`);
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = result.status ?? 1;
}
