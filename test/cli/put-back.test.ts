/** §2: what is not the agent's under `.runner/` is put back after every session, and the agent's version is kept in the log. */
import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';
import { recorded } from '../support/record.ts';
import { playAgent, playGuard, shellAgent, shellGuard } from '../support/shell-agent.ts';
import { node } from '../support/trees.ts';

const owned = [
  '.gitattributes',
  '.gitignore',
  'GOAL.md',
  'nodes/root/context.md',
  'nodes/root/last.json',
  'nodes/root/tools.json',
  'state/agent_output.schema.json',
  'state/config.toml',
  'state/run_state.json',
  'state/schema.json',
];

test('edited files come back, invented ones go, memory and artifacts stay', async () => {
  const p = await project({ agent: shellAgent, tree: node('root', { max_attempts: 9 }) });
  p.put('.runner/nodes/root/context.md', 'a hint\n');
  p.put('.runner/nodes/root/tools.json', '{}\n');
  await p.commitAll();
  playAgent(p, 'answer retry "first"');
  expect((await p.run('step')).code).toBe(0);
  const before = await p.git('rev-parse', 'HEAD');
  playAgent(
    p,
    `cd .runner
    for file in ${owned.join(' ')}; do echo "forged $file" > "$file"; done
    chmod +x GOAL.md
    echo forged > state/tree.rejected.json
    mkdir -p nodes/other nodes/root/artifacts
    echo forged > nodes/other/last.json
    echo '*' > nodes/root/artifacts/.gitignore
    echo art > nodes/root/artifacts/a.txt
    echo '- assumed' >> state/assumptions.md
    echo mine > state/extra.md
    answer retry "second"`,
  );
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=2 node=root status=retry guard=skipped',
  });
  const record = await recorded(p, 2);
  const invented = ['nodes/other/last.json', 'nodes/root/artifacts/.gitignore', 'state/tree.rejected.json'];
  const paths = [...owned, ...invented].toSorted();
  expect(record.meta.notes).toEqual(paths.map((path) => `put back .runner/${path}`));
  for (const note of record.meta.notes) expect(ran.err).toContain(note);
  for (const path of owned) expect(p.log(2, `kept/.runner/${path}`)).toBe(`forged ${path}\n`);
  for (const path of invented) expect(existsSync(join(p.dir, '.runner', path)), path).toBe(false);
  expect(p.log(2, 'kept/.runner/state/tree.rejected.json')).toBe('forged\n');
  const changed = (await p.git('diff', '--name-only', before, 'HEAD')).split('\n');
  expect(changed).toEqual([
    '.runner/nodes/root/artifacts/a.txt',
    '.runner/nodes/root/last.json',
    '.runner/state/assumptions.md',
    '.runner/state/extra.md',
    '.runner/state/run_state.json',
    '.runner/state/tree.json',
  ]);
  expect(record.last).toMatchObject({ iter: 2, summary: 'second' });
  expect(await p.git('ls-tree', 'HEAD', '.runner/GOAL.md')).toMatch(/^100644 /u);
  expect(await p.status()).toBe('');
});

test('.runner or tree.json missing, a link, a folder, a pipe: put back, counted as unchanged, nothing followed', async () => {
  const p = await project({
    agent: shellAgent,
    config: 'max_iterations = 8',
    tree: node('root', { max_attempts: 9 }),
    files: { 'decoy.json': 'decoy\n' },
  });
  const outside = join(p.home, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'tree.json'), 'outside\n');
  playAgent(
    p,
    `tree=.runner/state/tree.json
    echo "work $RUNNER_ITER" > work.txt
    case $RUNNER_ITER in
    1) echo "- asked" >> .runner/state/questions.md; rm -rf .runner ;;
    2) ln -sf ../../decoy.json $tree ;;
    3) rm $tree; mkdir $tree; echo inside > $tree/inside.txt ;;
    4) mv .runner/state "$HOME/state"; ln -s "$HOME/outside" .runner/state ;;
    5) mv .runner "$HOME/runner-folder"; echo file > .runner ;;
    6) rm $tree; mkfifo $tree ;;
    7) rm $tree ;;
    8) rm -rf .runner/iterations; ln -s "$HOME/outside" .runner/iterations; ln -s "$HOME/outside" .runner/extra ;;
    esac
    answer retry "turn $RUNNER_ITER"`,
  );
  const ran = await p.run('loop');
  expect(ran.err).toContain('[ITERATION_LIMIT]');
  expect(ran.out.split('\n').length, ran.err).toBe(9);
  const log = join(p.dir, '.runner/iterations/test');
  expect(readdirSync(log).toSorted(), 'the agent has removed the others').toEqual(['8']);
  const last = await recorded(p, 8);
  expect(last).toMatchObject({ status: 'retry', guard: 'skipped', attempts: 8, errorLog: '' });
  expect(last.meta.notes).toEqual(['put back .runner/extra', 'put back .runner/iterations']);
  expect(readlinkSync(join(log, '8/kept/.runner/extra'))).toBe(outside);
  expect(readdirSync(outside)).toEqual(['tree.json']);
  expect(p.read('../home/outside/tree.json')).toBe('outside\n');
  expect(p.read('decoy.json')).toBe('decoy\n');
  expect(await p.status()).toBe('');
  expect(await p.git('rev-list', '--count', 'main..HEAD')).toBe('9');
  const start = await p.git('rev-parse', ':/start run test');
  const changed = (await p.git('diff', '--name-only', start, 'HEAD')).split('\n');
  expect(changed).toEqual([
    '.runner/nodes/root/last.json',
    '.runner/state/run_state.json',
    '.runner/state/tree.json',
    'work.txt',
  ]);
  for (const [iter, note] of [
    [1, 'put back .runner/.gitignore'],
    [2, 'put back .runner/state/tree.json'],
    [3, 'put back .runner/state/tree.json'],
    [4, 'put back .runner/state'],
    [5, 'put back .runner/.'],
    [6, 'put back .runner/state/tree.json'],
    [7, 'put back .runner/state/tree.json'],
  ] as const) {
    const part = ran.err.split(/^iter \d+: status=/mu)[iter - 1];
    expect(part, `iteration ${iter}`).toContain(note);
  }
});

test('what a guard makes of .runner/ is put back too, and a locked-up tree stays readable', async () => {
  const p = await project({ agent: shellAgent, guard: shellGuard });
  playAgent(p, 'echo work > work.txt; chmod 000 .runner/state/tree.json; answer done');
  playGuard(
    p,
    `echo '{}' > .runner/state/tree.json; echo '{}' > .runner/state/run_state.json
    echo 'max_iterations = 1' > .runner/state/config.toml; rm -rf .runner/iterations`,
  );
  const ran = await p.run('step');
  expect(ran, ran.err).toMatchObject({
    code: 0,
    out: 'step: run=test iter=1 node=root status=done guard=pass',
  });
  expect((await recorded(p, 1)).tree.passes).toBe(true);
  expect(p.read('.runner/state/config.toml')).toContain('[agent]');
  expect(await p.status()).toBe('');
  expect(lstatSync(join(p.dir, '.runner/state/tree.json')).mode & 0o600).toBe(0o600);
});
