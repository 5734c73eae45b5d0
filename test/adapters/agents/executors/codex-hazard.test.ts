import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codexHazard } from '../../../../src/adapters/agents/executors/codex-hazard.ts';
import { configWith } from '../../../support/facts.ts';
import { scratchFolder } from '../../../support/scratch.ts';

const config = configWith({ agent: { name: 'codex' } });

test.runIf(process.platform === 'linux')(
  'a home below the folder for temporary files, links followed',
  () => {
    const base = scratchFolder();
    for (const name of ['tmp/home', 'home', 'tmp-2']) mkdirSync(join(base, name), { recursive: true });
    symlinkSync(join(base, 'tmp'), join(base, 'linked'));
    const TMPDIR = join(base, 'tmp');
    const below = codexHazard({ config, env: { HOME: join(TMPDIR, 'home'), TMPDIR } });
    expect(below?.what).toContain(`(${TMPDIR}/home/.codex is below ${TMPDIR})`);
    expect(below?.fix).toContain('CODEX_HOME');
    expect(codexHazard({ config, env: { HOME: join(base, 'linked', 'home'), TMPDIR } })).not.toBeNull();
    const apart = [{ HOME: join(base, 'home') }, { HOME: join(base, 'tmp-2') }];
    for (const env of apart) expect(codexHazard({ config, env: { ...env, TMPDIR } })).toBeNull();
    const moved = { HOME: join(TMPDIR, 'home'), CODEX_HOME: join(base, 'home'), TMPDIR };
    expect(codexHazard({ config, env: moved })).toBeNull();
  },
);

test('without its own sandbox there is no helper to miss', () => {
  const env = { HOME: '/tmp/home', TMPDIR: '/tmp' };
  expect(
    codexHazard({ config: configWith({ agent: { name: 'codex', permissions: 'full' } }), env }),
  ).toBeNull();
  expect(codexHazard({ config: configWith({ sandbox: { kind: 'docker' } }), env })).toBeNull();
});
