import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { layout, privateLayout } from '../../../src/adapters/files/layout.ts';
import { gitattributesText, gitignoreText } from '../../../src/core/iteration/initial-files.ts';
import { stageName } from '../../../src/adapters/files/stage.ts';
import { scratchFolder } from '../../support/scratch.ts';

test('paths of the project', () => {
  const places = layout('/p');
  expect(places.tree).toBe('/p/.runner/state/tree.json');
  expect(places.rejectedTree).toBe('/p/.runner/state/tree.rejected.json');
  expect(places.runState).toBe('/p/.runner/state/run_state.json');
  expect(places.config).toBe('/p/.runner/state/config.toml');
  expect(places.goal).toBe('/p/.runner/GOAL.md');
  expect(places.memory.improvements).toBe('/p/.runner/state/improvements.md');
  expect(places.node('a.1').last).toBe('/p/.runner/nodes/a.1/last.json');
  expect(places.context.failure).toBe('/p/.runner/context/failure.md');
  expect(places.iteration({ run_id: 'r', iter: 3 }).meta).toBe('/p/.runner/iterations/r/3/meta.json');
  const { file, reviewLog, reviewOutput, reviewPatch, events } = places.iteration({ run_id: 'r', iter: 3 });
  expect(file('x')).toBe('/p/.runner/iterations/r/3/x');
  expect([reviewLog, reviewOutput, reviewPatch, events]).toEqual(
    ['review.log', 'review.json', 'review.patch', 'events.jsonl'].map(file),
  );
});

test('private paths are in the git folder', () => {
  const places = privateLayout('/g');
  expect(places.lock).toBe('/g/runner/lock');
  expect(places.journal).toBe('/g/runner/journal.jsonl');
  expect(places.answer).toBe('/g/runner/answer.json');
  expect(places.schema).toBe('/g/runner/answer.schema.json');
  expect(places.stash('abc')).toBe('/g/runner/stash/abc');
  expect(places.nested(2)).toBe('/g/runner/nested/2');
  expect(places.quarantine('x')).toBe('/g/runner/quarantine/x');
});

test('git ignores local folders and stages but not a node whose id is the name of such a folder', () => {
  const folder = scratchFolder();
  const places = layout(folder);
  mkdirSync(places.root);
  writeFileSync(places.gitignore, gitignoreText);
  expect(spawnSync('git', ['init', '-q', folder]).status).toBe(0);
  const isIgnored = (file: string): boolean =>
    spawnSync('git', ['-C', folder, 'check-ignore', '-q', file]).status === 0;
  expect(isIgnored(places.context.goal)).toBe(true);
  expect(isIgnored(places.iteration({ run_id: 'r', iter: 1 }).meta)).toBe(true);
  expect(isIgnored(path.join(places.stateDir, stageName()))).toBe(true);
  expect(isIgnored(places.tree)).toBe(false);
  expect(isIgnored(places.node('context').last)).toBe(false);
  expect(isIgnored(places.node('iterations').context)).toBe(false);
});

test('git converts nothing under .runner, whatever the project asks for', () => {
  const folder = scratchFolder();
  const places = layout(folder);
  mkdirSync(places.root);
  writeFileSync(
    path.join(folder, '.gitattributes'),
    '* text eol=crlf ident filter=lfs working-tree-encoding=UTF-16\n',
  );
  writeFileSync(places.gitattributes, gitattributesText);
  expect(spawnSync('git', ['init', '-q', folder]).status).toBe(0);
  const names = ['text', 'filter', 'ident', 'working-tree-encoding'];
  const result = spawnSync('git', ['-C', folder, 'check-attr', ...names, '--', places.tree], {
    encoding: 'utf8',
  });
  expect(result.stdout.match(/: unset$/gm)).toHaveLength(names.length);
});
