/** Ways to forge the rich history, each with the transition that no longer follows. */
import {
  rebuild,
  stateFile,
  treeFile,
  withFile,
  withHashes,
  withJson,
  withMessage,
  nodesOf,
} from './forgeries.ts';
import type { Draft, Value } from './forgeries.ts';
import type { Objects } from './object-base.ts';

export interface Forgery {
  readonly name: string;
  readonly tip: string;
  /** The commit that must be named. */
  readonly wrong: string;
}

interface Made {
  readonly drafts: readonly Draft[];
  readonly wrong: number;
}

type Forge = (drafts: readonly Draft[], at: (words: string) => number) => Made;

export function forgeries(objects: Objects, tip: string): readonly Forgery[] {
  const drafts = objects.line(tip);
  const at = (words: string): number => {
    const found = drafts.findIndex(({ message }) => message.split('\n', 1).join('').includes(words));
    if (found === -1) throw new Error(`no commit '${words}'`);
    return found;
  };
  return forges(objects).map(([name, forge]) => {
    const made = forge(drafts, at);
    const ids = rebuild(objects, made.drafts, true);
    return { name, tip: String(ids.at(-1)), wrong: String(ids[made.wrong]) };
  });
}

/** What a person on top may write: numbers that are the same, and texts of which no reader may make something else. */
export function respelled(
  objects: Objects,
  tip: string,
): readonly { readonly name: string; readonly tip: string; readonly wrong: string | null }[] {
  const drafts = objects.line(tip);
  const ground = { ...(drafts.at(-1) as Draft), message: 'docs: words\n', parents: [], isMade: true };
  const worked = (text: string): string => text.replace('"attempts": 0', '"attempts": 1');
  const float = (text: string): string => text.replaceAll(/: (\d+),/gu, ': $1.0,');
  const rows: readonly (readonly [name: string, path: string, isWrong: boolean, (text: string) => string])[] =
    [
      ['numbers with a point', treeFile, false, float],
      ['numbers with a point, and a change', treeFile, true, (text) => float(worked(text))],
      [
        'a limit with a point, and a change',
        treeFile,
        true,
        (text) => worked(text).replace('": 9,', '": 9.0,'),
      ],
      ['a number with an exponent', stateFile, false, (text) => text.replace('": 4,', '": 0.4e1,')],
      ['no number', stateFile, true, (text) => text.replace('": 4,', '": NaN,')],
      [
        'half a character',
        treeFile,
        true,
        (text) => text.replace('"title": "', String.raw`"title": "\ud800`),
      ],
      ['a byte order mark', treeFile, true, (text) => `\uFEFF${worked(text)}`],
      ['a key given twice', treeFile, true, (text) => text.replace('{', '{ "id": "root", ')],
      ['a key of JavaScript', stateFile, true, (text) => text.replace('{', '{ "__proto__": 1, ')],
    ];
  const made = rows.map(([name, path, isWrong, change]) => {
    const ids = rebuild(objects, [...drafts, withFile(objects, ground, path, change)], true);
    return { name, tip: String(ids.at(-1)), wrong: isWrong ? String(ids.at(-1)) : null };
  });
  // The person has mended it.
  const broken = withFile(objects, ground, treeFile, () => '{');
  const mended = String(rebuild(objects, [...drafts, broken, ground], true).at(-1));
  return [...made, { name: 'a tree that was mended', tip: mended, wrong: null }];
}

/** The last commit, amended: what a person might do by hand. */
export function amended(
  objects: Objects,
  tip: string,
): readonly { readonly name: string; readonly tip: string }[] {
  const drafts = objects.line(tip);
  const last = drafts.at(-1) as Draft;
  const said = (key: string, to: string): Draft =>
    withMessage(last, (message) => message.replace(new RegExp(`^Runner-${key}: .*\n`, 'mu'), to));
  const resolved = { permissions: 'full', sandbox: 'docker', guard: false, guard_network: true };
  const rows: readonly (readonly [name: string, draft: Draft])[] = [
    ['another guard', said('Guard-Command', 'Runner-Guard-Command: npm test\n')],
    ['no guard', said('Guard-Command', '')],
    ['no prompt', said('Prompt-SHA256', '')],
    ['other rings', said('Rings', 'Runner-Rings: sandbox=bwrap guard=offline settings=on checkout=every\n')],
    ['no work', said('Work', '')],
    ['other bytes', withFile(objects, last, 'work-3.txt', (text) => `${text}evil\n`)],
    ['another sandbox', withJson(objects, last, stateFile, (value) => (value['resolved'] = resolved))],
  ];
  return rows.map(([name, draft]) => ({
    name,
    tip: String(rebuild(objects, [...drafts.slice(0, -1), draft], true).at(-1)),
  }));
}

function changed(drafts: readonly Draft[], place: number, change: (draft: Draft) => Draft): Made {
  return { drafts: drafts.map((draft, at) => (at === place ? change(draft) : draft)), wrong: place };
}

function nodeOf(value: Value, id: string): Value {
  return nodesOf(value).find((node) => node['id'] === id) ?? {};
}

/** A trailer of one commit becomes another line; no line removes it. */
function line(words: string, key: string, to: string | null): Forge {
  return (drafts, at) =>
    changed(drafts, at(words), (draft) =>
      withMessage(draft, (message) =>
        message.replace(
          new RegExp(`^Runner-${key}: .*\n`, 'mu'),
          to === null ? '' : `Runner-${key}: ${to}\n`,
        ),
      ),
    );
}

function forges(objects: Objects): readonly (readonly [name: string, forge: Forge])[] {
  const tree =
    (words: string, change: (value: Value) => void, isHashed = false): Forge =>
    (drafts, at) => {
      const made = changed(drafts, at(words), (draft) => withJson(objects, draft, treeFile, change));
      return { ...made, drafts: isHashed ? withHashes(objects, made.drafts) : made.drafts };
    };
  const state =
    (words: string, change: (value: Value) => void): Forge =>
    (drafts, at) =>
      changed(drafts, at(words), (draft) => withJson(objects, draft, stateFile, change));
  const file =
    (words: string, path: string, change: (text: string) => string | null): Forge =>
    (drafts, at) =>
      changed(drafts, at(words), (draft) => withFile(objects, draft, path, change));
  const subject =
    (words: string, from: string, to: string): Forge =>
    (drafts, at) =>
      changed(drafts, at(words), (draft) => withMessage(draft, (message) => message.replace(from, to)));
  const inserted =
    (words: string, make: (ground: Draft) => Draft): Forge =>
    (drafts, at) => {
      const place = at(words) + 1;
      const made = { ...make(drafts[place - 1] as Draft), parents: [], isMade: true };
      return { drafts: [...drafts.slice(0, place), made, ...drafts.slice(place)], wrong: place };
    };
  const passed =
    (id: string) =>
    (value: Value): void => {
      nodeOf(value, id)['passes'] = true;
    };
  const from =
    (words: string, path: string, change: (text: string) => string | null): Forge =>
    (drafts, at) => ({
      drafts: drafts.map((draft, place) =>
        place < at(words) ? draft : withFile(objects, draft, path, change),
      ),
      wrong: at(words),
    });
  const digits = 'f'.repeat(64);
  return [
    ['a pass in a rewritten tree', tree('iter 3 ', passed('root.2'))],
    ['the same, with its hashes', tree('iter 3 ', passed('root.2'), true)],
    ['an attempt less', tree('iter 2 ', (value) => (nodeOf(value, 'root.1')['attempts'] = 0), true)],
    ['an attempt more', tree('iter 10 ', (value) => (nodeOf(value, 'root.3')['attempts'] = 3), true)],
    [
      'more attempts allowed',
      tree('iter 7 ', (value) => (nodeOf(value, 'root.4')['max_attempts'] = 99), true),
    ],
    ['a passed node edited', tree('iter 7 ', (value) => (nodeOf(value, 'root.1')['goal'] = 'another'), true)],
    ['a passed node opened', tree('iter 7 ', (value) => (nodeOf(value, 'root.1')['passes'] = false), true)],
    ['an open node removed', tree('iter 12 ', (value) => (value['children'] as Value[]).pop(), true)],
    [
      'a tree that is not as it is written',
      file('iter 2 ', treeFile, (text) => JSON.stringify(JSON.parse(text))),
    ],
    ['a broken tree', file('iter 2 ', treeFile, () => '{')],
    ['the hash of the tree before', line('iter 4 ', 'Tree-Before-SHA256', digits)],
    ['the hash of the tree after', line('iter 4 ', 'Tree-After-SHA256', digits)],
    ['another outcome', line('iter 3 ', 'Outcome', 'retry')],
    ['no outcome', line('iter 3 ', 'Outcome', null)],
    ['another baseline', line('iter 3 ', 'Baseline', 'f'.repeat(40))],
    ['no baseline', line('iter 3 ', 'Baseline', null)],
    ['a trailer of another run', line('iter 3 ', 'Run', 'other')],
    ['a pass without a guard', line('iter 4 ', 'Guard-Exit', null)],
    ['a pass of a red guard', line('iter 4 ', 'Guard-Exit', '1')],
    ['a pass without a log', line('iter 4 ', 'Guard-Log-SHA256', null)],
    ['a pass without an answer', line('iter 4 ', 'Answer-SHA256', null)],
    [
      'a red guard called green',
      (drafts, at) =>
        changed(drafts, at('iter 3 '), (draft) =>
          withMessage(draft, (message) =>
            message
              .replace('guard=fail', 'guard=pass')
              .replace('Outcome: guard-fail', 'Outcome: pass')
              .replace('Guard-Exit: 1', 'Guard-Exit: 0'),
          ),
        ),
    ],
    ['a mark taken out', line('iter 6 ', 'Mark', null)],
    [
      'a mark made up',
      subject('iter 2 ', 'Runner-Changed-Files', 'Runner-Mark: changed-goal\nRunner-Changed-Files'),
    ],
    ['a mark taken out after a person changed the check', line('iter 16 ', 'Mark', null)],
    [
      'an empty pass that nobody was asked about',
      (drafts, at) => {
        const place = at('iter 5 ');
        const [ground, asked, confirmed] = drafts.slice(place - 1, place + 2) as [Draft, Draft, Draft];
        const unasked = withMessage(confirmed, (message) =>
          message
            .replace('iter 6 ', 'iter 5 ')
            .replace(asked.id, ground.id)
            .replace('Runner-Mark: confirmed-empty-change\n', ''),
        );
        const pass = withJson(objects, unasked, stateFile, (value) => {
          value['next_iter'] = 6;
          value['judged_sessions'] = Number(value['judged_sessions']) - 1;
        });
        return { drafts: [...drafts.slice(0, place), pass, ...drafts.slice(place + 2)], wrong: place };
      },
    ],
    ['no prompt', line('iter 2 ', 'Prompt-SHA256', null)],
    ['another guard', line('iter 4 ', 'Guard-Command', 'npm test')],
    ['no guard named', line('iter 2 ', 'Guard-Command', null)],
    ['another checkout', line('iter 4 ', 'Rings', 'sandbox=none settings=on checkout=every')],
    ['a sandbox', line('iter 4 ', 'Rings', 'sandbox=bwrap guard=offline settings=on checkout=off')],
    ['other bytes in a file that was counted', file('iter 2 ', 'a.txt', () => 'evil\n')],
    ['work that is not named', line('iter 2 ', 'Work', null)],
    ['another agent as well', line('iter 2 ', 'Agent', 'codex\nRunner-Agent: claude')],
    ['a sandbox that start did not find', state('iter 4 ', (value) => (value['resolved'] = null))],
    [
      'a sandbox that a person did not find',
      state('docs: a plain commit', (value) => (value['resolved'] = null)),
    ],
    ['files that nobody counted', file('iter 4 ', 'hidden.txt', () => 'x\n')],
    ['an iteration number', subject('iter 4 ', 'iter 4 ', 'iter 5 ')],
    ['another node', subject('iter 4 ', 'node root.1', 'node root.2')],
    ['the check changed in secret', from('iter 3 ', 'check.sh', () => 'true\n')],
    ['the check of a pass changed', from('iter 4 ', 'check.sh', () => 'true\n')],
    [
      'the settings changed by a session',
      from('iter 2 ', '.runner/state/config.toml', (text) => `max_attempts_default = 9\n${text}`),
    ],
    ['the goal changed by a session', from('iter 2 ', '.runner/GOAL.md', (text) => `${text}\nless\n`)],
    ['the next number', state('iter 4 ', (value) => (value['next_iter'] = 9))],
    ['failures forgotten', state('iter 10 ', (value) => (value['failures_in_a_row'] = 0))],
    ['time given back', state('iter 4 ', (value) => ((value['totals'] as Value)['seconds'] = -1))],
    [
      'a confirmation never asked for',
      state('iter 5 ', (value) => ((value['nodes'] as Value)['root.2'] = {})),
    ],
    ['another rejected tree', file('iter 7 ', '.runner/state/tree.rejected.json', () => 'other')],
    [
      'a commit removed',
      (drafts, at) => {
        const place = at('iter 3 ');
        return { drafts: drafts.filter((_, one) => one !== place), wrong: place };
      },
    ],
    [
      'two commits the other way round',
      (drafts, at) => {
        const place = at('iter 2 ');
        const [one, two] = [drafts[place] as Draft, drafts[place + 1] as Draft];
        return { drafts: [...drafts.slice(0, place), two, one, ...drafts.slice(place + 2)], wrong: place };
      },
    ],
    [
      'a pass posing as a person’s command',
      inserted('iter 4 ', (ground) =>
        withMessage(
          withJson(objects, ground, treeFile, passed('root.2')),
          () => 'chore(loop): edit root.2 goal\n\nRunner-Person: edit\n',
        ),
      ),
    ],
    [
      'a pass by a plain commit',
      inserted('iter 4 ', (ground) =>
        withMessage(withJson(objects, ground, treeFile, passed('root.2')), () => 'docs: words\n'),
      ),
    ],
    ['a person’s command that touches more', file('edit root.4', 'lib.txt', (text) => `${text}x\n`)],
    ['a dropped node that is not kept', file('drop root.5', '.runner/nodes/root.5/dropped.json', () => null)],
    ['reopened without a word', line('add root.6', 'Mark', null)],
    [
      'a run that begins with a pass',
      (drafts, at) => {
        const place = at('start run test');
        const made = changed(drafts, place, (draft) => withJson(objects, draft, treeFile, passed('root')));
        return made;
      },
    ],
  ];
}
