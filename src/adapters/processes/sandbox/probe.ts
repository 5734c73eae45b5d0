/**
 * A quick look whether bubblewrap holds (§13.8): a sample of the battery in one start of it, with the arguments of a session. Leaves
 * nothing behind.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bwrapArguments, planViews } from '../../../core/sandbox/bwrap.ts';
import { firstLine } from '../../../core/agents/agent-events.ts';
import { cleanLine } from '../../../core/text/terminal-text.ts';
import { giveTo } from '../../files/owner.ts';
import type { Owner } from '../../files/owner.ts';
import { kindAt } from './places.ts';

const probeMs = 20_000;

/** Prints what did not hold. $1: a folder outside, $2: HOME, $3: a process outside. */
const words = `
( : > "$1/written" ) 2>/dev/null && echo 'a file outside can be written'
[ -e "$2/canary" ] && echo 'the home folder can be read'
kill -0 "$3" 2>/dev/null && [ "$3" -gt 9 ] && echo 'processes outside can be reached'
while read -r name value; do
  case "$name $value" in CapEff:*[1-9a-f]*) echo 'it has capabilities' ;; esac
done < /proc/self/status
( : > work-file ) || echo 'the work tree cannot be written'
echo done
`;

/** Null: it holds. `user`: as whom it has to run; null: as ourselves. */
export async function tryBwrap(program: string, user: Owner | null): Promise<string | null> {
  const base = mkdtempSync(join(tmpdir(), 'runner-probe-'));
  const at = (name: string): string => join(base, name);
  try {
    for (const name of ['home', 'empty-home', 'work', 'outside', 'io', 'cache']) mkdirSync(at(name));
    writeFileSync(at('home/canary'), '');
    writeFileSync(at('empty'), '');
    chmodSync(base, 0o711);
    if (user !== null)
      for (const name of ['home', 'empty-home', 'work', 'outside', 'io', 'cache']) giveTo(at(name), user);
    const views = planViews({
      home: at('home'),
      ownerHome: null,
      top: at('work'),
      gitPaths: [],
      io: at('io'),
      cache: at('cache'),
      replaced: [{ path: at('home'), source: at('empty-home') }],
      read: [at('outside')],
      ...{
        write: [],
        hidden: [],
        masked: [],
        settings: at('none'),
        sockets: [],
        path: [],
        network: false,
        resolver: null,
      },
      kindOf: (path) => kindAt(path, user),
    });
    const argv = ['/bin/sh', '-c', words, 'sh', at('outside'), at('home'), String(process.pid)];
    const { execa } = await import('execa');
    const result = await execa(
      program,
      bwrapArguments({ views, network: false, emptyFile: at('empty') }, { argv, cwd: at('work') }),
      {
        cwd: '/',
        env: { PATH: process.env['PATH'] ?? '' },
        extendEnv: false,
        ...{ stdin: 'ignore', reject: false, timeout: probeMs },
        ...user,
      },
    );
    if (result.stdout !== 'done')
      return cleanLine(firstLine(result.stdout) ?? firstLine(result.stderr) ?? 'it does not start');
    return existsSync(at('outside/written')) ? 'a file outside was written' : null;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
