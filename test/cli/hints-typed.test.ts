/** For every error code: a person gets into the situation, types the hint into a shell, and it leads on. */
import { delimiter, join } from 'node:path';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import { fileHints } from '../support/hint-rows-files.ts';
import { gitHints } from '../support/hint-rows-git.ts';
import { workHints } from '../support/hint-rows-work.ts';
import type { HintRow, Unreachable } from '../support/hint-rows.ts';
import { entryFile } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { readRefusal } from '../support/refusals.ts';
import { isWhole } from '../support/whole.ts';

/** A code without a row does not compile. */
const table: Readonly<Record<ErrorCode, HintRow | Unreachable>> = { ...fileHints, ...gitHints, ...workHints };

const sample: readonly string[] = [
  'LAYOUT_MISSING',
  'PASSED_EDITED',
  'SCRIPT_INVALID',
  'ITERATION_LIMIT',
  'GIT_DIRTY',
];
const rows = (Object.entries(table) as [ErrorCode, HintRow | Unreachable][]).flatMap(([code, row]) =>
  'why' in row || (!isWhole && !sample.includes(code)) ? [] : [[code, row] as const],
);

test.each(rows)(
  '%s',
  async (code, row) => {
    const { p, ran } = await row.meet();
    const refusal = readRefusal(ran);
    expect(refusal.code, ran.err).toBe(code);
    await row.byHand?.(p);
    await type(p, (row.words ?? firstCommand)(refusal.hint));
    await row.ledOn?.(p);
  },
  300_000,
);

test('codes that no situation leads to say why', () => {
  const without = Object.entries(table).filter(([, row]) => 'why' in row);
  expect(without.map(([code]) => code).toSorted()).toEqual(['INTERNAL', 'PROCESS_ALIVE', 'SANDBOX_PATH']);
});

/** Up to an alternative or a remark; "then" goes on with the next command. */
function firstCommand(hint: string): string {
  return hint.replace(/(?:,|;) or\b.*$| \(.*?\)/gsu, '').replaceAll(', then: ', ' && ');
}

/** As `typeHint` does, with an editor for messages of commits. */
async function type(p: Project, command: string): Promise<void> {
  const bin = join(p.base, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'runner'), `#!/bin/sh\nexec '${process.execPath}' '${entryFile}' "$@"\n`);
  chmodSync(join(bin, 'runner'), 0o755);
  const env = {
    ...p.env,
    PATH: [bin, join(p.home, 'bin'), p.env['PATH'] ?? ''].join(delimiter),
    GIT_EDITOR: 'echo words >',
  };
  const done = await execa('sh', ['-c', command], {
    cwd: p.dir,
    env,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
  expect(done.exitCode, `$ ${command}\n${done.stdout}\n${done.stderr}`).toBe(0);
}
