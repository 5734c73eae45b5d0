/** Checks what the commit of an iteration says about it (§15): hashes, counts, sums and marks, each against what git has. */
import { configInForce } from '../config/in-force.ts';
import { classifyChange, findMarks, isSameShape } from '../iteration/classifier.ts';
import type { Outcome } from '../iteration/outcome-row.ts';
import { renderRings, ringsOf } from '../iteration/rings.ts';
import { renderArgv } from '../text/argv-text.ts';
import { compareCodePoints } from '../tree/tree-walk.ts';
import type { ReadIteration } from './check-iteration.ts';
import { changedGuardFiles } from './check-references.ts';
import { answeredRows, greenRows, unguardedRows } from './evidence.ts';
import { differ, first, problem } from './problem.ts';
import { trailer } from './trailers.ts';
import type { Trailers } from './trailers.ts';
import type { Problem } from './transition.ts';

export function checkDescription(read: ReadIteration, outcome: Outcome): Problem | null {
  const { purpose, before, after, facts, transition } = read;
  const { trailers } = transition;
  const { outside: changedPaths } = facts;
  const treeChanged = !isSameShape({ before, after });
  return first(
    () => checkSurroundings(read),
    () => checkGuard(read),
    () =>
      differ(
        'Runner-Mode',
        classifyChange({ purpose, changedPaths, treeChanged }),
        trailer(trailers, 'Mode'),
      ),
    () => differ('Runner-Changed-Files', String(changedPaths.length), trailer(trailers, 'Changed-Files')),
    () => checkMarks(read, outcome),
    () => checkSpent(trailers, outcome),
    () => checkLogs(read),
  );
}

const sha256Text = /^[0-9a-f]{64}$/u;

function isHash(text: string | null): boolean {
  return text !== null && sha256Text.test(text);
}

/** What the session was asked, and what the guard was and ran in: it follows from settings, and from what `start` found. */
function checkSurroundings(read: ReadIteration): Problem | null {
  const { name, config, state, transition, facts, sha256 } = read;
  const of = (key: string): string | null => trailer(transition.trailers, key);
  const prompt = of('Prompt-SHA256');
  // A crash can leave a session of which nothing is known but that it was.
  const isAsked = isHash(prompt) || (name === 'undone' && prompt === 'unknown');
  const inForce = configInForce(config, state.after.resolved);
  const rings = renderRings(ringsOf({ config: inForce, runState: state.after, sha256 }));
  return first(
    () => (isAsked ? null : problem('Runner-Prompt-SHA256', 'the hash of a prompt', String(prompt))),
    () => differ('Runner-Guard-Command', renderArgv(config.guard.command), of('Guard-Command')),
    () => differ('Runner-Rings', rings, of('Rings')),
    () => (of('Work') === null && !read.needsWork ? null : differ('Runner-Work', facts.workTree, of('Work'))),
  );
}

/** No pass without an answer and a guard that ended with 0; no guard where none was asked. */
function checkGuard({ name, config, transition }: ReadIteration): Problem | null {
  const of = (key: string): string | null => trailer(transition.trailers, key);
  const counterfactual = of('Counterfactual');
  const { counterfactual: setting } = config.guard;
  const hasGuard = of('Guard-Exit') !== null || of('Guard-Log-SHA256') !== null;
  return first(
    () =>
      answeredRows.includes(name) && !isHash(of('Answer-SHA256'))
        ? problem('Runner-Answer-SHA256', 'the hash of an answer', String(of('Answer-SHA256')))
        : null,
    () => (greenRows.includes(name) ? differ('Runner-Guard-Exit', '0', of('Guard-Exit')) : null),
    () =>
      greenRows.includes(name) && !isHash(of('Guard-Log-SHA256'))
        ? problem('Runner-Guard-Log-SHA256', 'the hash of a log', String(of('Guard-Log-SHA256')))
        : null,
    () =>
      hasGuard && unguardedRows.includes(name) ? problem('Runner-Guard-Exit', 'no guard', 'a guard') : null,
    () =>
      name === 'pass' && config.review.agent !== null && of('Review') === null
        ? problem('Runner-Review', 'a review', 'none')
        : null,
    () =>
      name === 'pass' && setting !== 'off' && counterfactual === null
        ? problem('Runner-Counterfactual', `guard.counterfactual = ${setting}`, 'none')
        : null,
    () =>
      (name === 'pass' && setting === 'require' && counterfactual === 'green') ||
      (name === 'counterfactual-fail' && counterfactual !== 'green')
        ? problem('Runner-Counterfactual', name === 'pass' ? 'not green' : 'green', String(counterfactual))
        : null,
  );
}

export function hasMark(trailers: Trailers, mark: string): boolean {
  return trailers.get('Mark')?.includes(mark) === true;
}

function checkMarks(read: ReadIteration, outcome: Outcome): Problem | null {
  const { facts, config, transition } = read;
  const changed = changedGuardFiles(read);
  const marks = findMarks({
    changedPaths: facts.outside,
    prefix: facts.prefix,
    guardCommand: config.guard.command,
    guardFiles: changed ?? [],
  });
  const found = [...(transition.trailers.get('Mark') ?? [])].toSorted(compareCodePoints);
  const guardMark = 'changed-guard-files';
  // The references of this pass were looked for anew: whether one of them changed cannot be told.
  const isFree = changed === null && !marks.includes(guardMark) && found.includes(guardMark);
  const expected = [...outcome.marks, ...marks, ...(isFree ? [guardMark] : [])].toSorted(compareCodePoints);
  return differ('Runner-Mark', expected, found);
}

const amount = /^[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?$/u;

/** Null: it is missing. What is no number stays as it is, and is like no number. */
export function parseAmount(text: string | null): number | string | null {
  return text !== null && amount.test(text) ? Number(text) : text;
}

function checkSpent(trailers: Trailers, { spent }: Outcome): Problem | null {
  const rows = [
    ['Tokens', spent.iteration.tokens],
    ['Node-Tokens', spent.node.tokens],
    ['Run-Tokens', spent.run.tokens],
    ['Cost-USD', spent.iteration.cost_usd],
    ['Node-Cost-USD', spent.node.cost_usd],
    ['Run-Cost-USD', spent.run.cost_usd],
  ] as const;
  return first(
    ...rows.map(
      ([key, value]) =>
        () =>
          differ(`Runner-${key}`, value, parseAmount(trailer(trailers, key))),
    ),
  );
}

/** Only of files that are there. */
function checkLogs({ facts, transition }: ReadIteration): Problem | null {
  const rows = [
    ['prompt.md', 'Prompt-SHA256'],
    ['output.json', 'Answer-SHA256'],
    ['guard.log', 'Guard-Log-SHA256'],
  ] as const;
  return first(
    ...rows.map(([file, key]) => () => {
      const [found, said] = [facts.logs.get(file), trailer(transition.trailers, key)];
      return found === undefined || said === null || !isHash(said)
        ? null
        : differ(`${file} of the log`, said, found);
    }),
  );
}
