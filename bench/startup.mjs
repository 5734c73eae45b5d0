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
  return {
    empty_ms: nothing,
    version: { ms: version, ratio: version / nothing },
    select: { ms: select, ratio: select / nothing },
    status: { ms: status, ratio: status / nothing },
    ...measureHook(large, { empty, repeats }),
  };
}

/**
 * `validate` as git calls it: with the index that it refreshed and names. Once more by hand, and in real commits, where what the hook
 * takes is the difference to a hook that does nothing.
 */
function measureHook(cwd, { empty, repeats }) {
  git(cwd, 'update-index', '-q', '--refresh');
  const argvs = [
    ['node', empty],
    ['node', entry, 'validate'],
  ];
  const given = { GIT_INDEX_FILE: '.git/index', GIT_PREFIX: '', GIT_EDITOR: ':' };
  const [nothing, validate] = timeInTurns(argvs, { cwd, repeats, given });
  const [byHandNothing, byHand] = timeInTurns(argvs, { cwd, repeats });
  const commits = argvs.map((argv, at) => {
    const hooks = makeFolder(`hooks-${at}`);
    writeFileSync(path.join(hooks, 'pre-commit'), `#!/bin/sh\nexec ${argv.join(' ')}\n`, { mode: 0o755 });
    return ['git', '-c', `core.hooksPath=${hooks}`, 'commit', '-q', '--allow-empty', '-m', 'bench'];
  });
  const [commitNothing, commit] = timeInTurns(commits, { cwd, repeats });
  const inCommit = commit - commitNothing + nothing;
  return {
    validate: { ms: validate, ratio: validate / nothing },
    validate_by_hand: { ms: byHand, ratio: byHand / byHandNothing },
    validate_in_commit: { ms: inCommit, ratio: inCommit / nothing },
  };
}
