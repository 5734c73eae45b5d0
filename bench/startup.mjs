// How long a command takes from nothing to its answer, against an empty program of the same Node.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  entry,
  git,
  makeFolder,
  makeRepository,
  makeTree,
  runNow,
  saveJson,
  timeInTurns,
} from './measure.mjs';

function prepare(name, nodes) {
  const folder = makeRepository(name, 10);
  runNow(['node', entry, 'init', '--quiet'], folder);
  writeFileSync(path.join(folder, '.runner/GOAL.md'), '---\nid: bench\n---\nMeasure.\n');
  saveJson(path.join(folder, '.runner/state/tree.json'), makeTree(nodes));
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'project');
  runNow(['node', entry, 'start', '--quiet', '--no-baseline'], folder);
  return folder;
}

export function measureStartup({ repeats }) {
  const empty = path.join(makeFolder('empty'), 'empty.cjs');
  writeFileSync(empty, '');
  const small = prepare('small', 12);
  const large = prepare('large', 1000);
  const [nothing, version, select, status] = timeInTurns(
    [
      ['node', empty],
      ['node', entry, '--version'],
      ['node', entry, 'select'],
      ['node', entry, 'status'],
    ],
    { cwd: small, repeats },
  );
  const [again, validate] = timeInTurns(
    [
      ['node', empty],
      ['node', entry, 'validate'],
    ],
    { cwd: large, repeats },
  );
  return {
    empty_ms: nothing,
    version: { ms: version, ratio: version / nothing },
    select: { ms: select, ratio: select / nothing },
    status: { ms: status, ratio: status / nothing },
    validate: { ms: validate, ratio: validate / again },
  };
}
