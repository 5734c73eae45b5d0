/**
 * Plays one attack in one way: with the judge's checkout at its default or for every pass, or as the control run without the protection
 * that stops it. Afterwards honest work must pass again, if need be with the one command that a message names.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runBareLoop } from './bare-loop.ts';
import { findEscaped, openSandbox, openWords, sandboxSettings, spyWords } from './sandbox-mode.ts';
import type { HostileCase } from './case.ts';
import { lookAfter, lookBefore } from './verify.ts';
import type { Before, Findings } from './verify.ts';
import { honestWork } from './words.ts';
import { programs, removeFolder } from './world.ts';
import type { Place, Ran, StepRequest, worldStore } from './world.ts';

/** `sandbox`: with the judge's checkout for every pass, and everything in bubblewrap. */
export type Mode = 'default' | 'every' | 'sandbox' | 'control';

export interface Played extends Findings {
  readonly mode: Mode;
  readonly isLate: boolean;
  /** Why honest work does not pass any more; null: it does. */
  readonly deadEnd: string | null;
  /** False: the session never came to its end, so nothing was tried. */
  readonly didHappen: boolean;
  readonly seconds: number;
}

const limitSecs = 60;
/** Nobody waits for a whole minute to see that something hangs without its protection. */
const controlSecs = 15;
const honestStepsMax = 4;
const unreported = 'the iteration that was reported';

export async function playCase(
  store: ReturnType<typeof worldStore>,
  hostile: HostileCase,
  mode: Mode,
): Promise<Played> {
  const place = await store.copy(hostile.world ?? {});
  const startedMs = performance.now();
  try {
    const before = await lookBefore(place);
    if (mode === 'sandbox') openSandbox(place);
    place.playAgent(mode === 'sandbox' ? `${spyWords}${hostile.agent}` : hostile.agent);
    const request = stepRequest(hostile, { mode, place });
    const attack = () => (request === null ? runBareLoop(place, controlSecs) : place.step(request));
    let first = await attack();
    for (let turn = 1; turn < (hostile.steps ?? 1); turn += 1) first = await attack();
    const didHappen =
      existsSync(join(place.base, 'played')) && readFileSync(join(place.base, 'played'), 'utf8') !== '';
    // Before we run the check ourselves: what it leaves behind then is ours.
    const escaped = mode === 'sandbox' ? findEscaped(place) : [];
    const looked = withReported(await lookAfter(place, hostile, { before, known: [] }), first);
    const seen = { ...looked, outside: [...looked.outside, ...escaped] };
    // A runner that was killed has judged nothing: what counts is what the next one makes of it.
    const found = first.code === null ? { ...seen, falsePass: null, passed: [] } : seen;
    await place.shell(hostile.later ?? ':');
    const attacked = { mode, didHappen, isLate: first.isLate && hostile.killAfterSecs === undefined };
    const stopped = first.code === 0 || first.code === 2 ? null : lastWords(first);
    const isShown = mode === 'control' && showsEffect(hostile, { ...found, ...attacked, deadEnd: stopped });
    const after =
      isShown || attacked.isLate || request === null
        ? { ...found, deadEnd: stopped, isLate: false }
        : await goOn(place, hostile, { before, request, found, mode });
    const seconds = (performance.now() - startedMs) / 1000;
    return join2(found, after, { ...attacked, seconds });
  } finally {
    removeFolder(place.base);
  }
}

/** An iteration that was reported is on the branch. */
function withReported(found: Findings, { out }: Ran): Findings {
  const isThere = !out.includes('step: run=test iter=') || found.recorded !== 'nothing recorded';
  return isThere ? found : { ...found, lost: [...found.lost, unreported] };
}

/** Null: the bare loop takes the runner's place. */
function stepRequest(
  hostile: HostileCase,
  { mode, place }: { readonly mode: Mode; readonly place: Place },
): StepRequest | null {
  const more = hostile.killAfterSecs === undefined ? {} : { limitSecs: hostile.killAfterSecs };
  const checkout = (value: string) => ({ RUNNER_GUARD_CHECKOUT: value });
  switch (mode) {
    case 'default':
      return { program: programs.product, env: {}, limitSecs, ...more };
    case 'every':
      return { program: programs.product, env: checkout('every'), limitSecs, ...more };
    case 'sandbox':
      return {
        program: programs.product,
        env: { ...checkout('every'), ...sandboxSettings(place) },
        limitSecs,
        ...more,
      };
    case 'control': {
      if (hostile.control.kind !== 'off') return null;

      const { protections } = hostile.control;
      // The ratchet has a setting, which is switch enough.
      const policy = protections.includes('ratchet') ? { RUNNER_GUARD_POLICY: 'open' } : {};
      const env = { ...checkout('off'), ...policy, RUNNER_TEST_OFF: protections.join(',') };
      const waitSecs = hostile.family === 'hang' ? controlSecs : limitSecs;
      return { program: programs.test, env, limitSecs: waitSecs, ...more };
    }
  }
}

interface GoingOn {
  readonly before: Before;
  readonly request: StepRequest;
  readonly found: Findings;
  readonly mode: Mode;
}

type After = Findings & { readonly deadEnd: string | null; readonly isLate: boolean };

/** Honest sessions until one passes; a message that stops them must name the command that helps. */
async function goOn(
  place: Place,
  hostile: HostileCase,
  { before, request, found, mode }: GoingOn,
): Promise<After> {
  const known = [...found.passed];
  const tried = new Set<string>();
  let now = found;
  for (let turn = 0; turn < honestStepsMax; turn += 1) {
    place.playAgent(mode === 'sandbox' ? `${openWords}${honestWork}` : honestWork);
    const ran = await place.step({ ...request, limitSecs: Math.max(request.limitSecs, controlSecs) });
    now = await lookAfter(place, hostile, { before, known });
    if (ran.isLate) return { ...now, deadEnd: null, isLate: true };

    if (now.falsePass !== null || now.passed.some((id) => !known.includes(id)))
      return { ...now, deadEnd: null, isLate: false };

    if (ran.code === 0) continue;

    const hint = /^hint: (.+)$/m.exec(ran.err)?.[1] ?? '';
    if (hint === '' || tried.has(hint)) return { ...now, deadEnd: lastWords(ran), isLate: false };

    tried.add(hint);
    await place.shell(commandIn(hint), place.dir);
  }
  return { ...now, deadEnd: 'honest work does not pass any more', isLate: false };
}

/** What a careful person types of a hint: the last of several ways, without a remark in brackets or words before the command. */
function commandIn(hint: string): string {
  const plain =
    hint
      .replace(/ \([^)]*\)$/, '')
      .split(', or: ')
      .at(-1) ?? hint;
  return /^(?:git|runner|mv|rm|sh|chmod|mkdir) /.test(plain) ? plain : (plain.split(': ').at(-1) ?? plain);
}

/** The runner's error, on one line. */
function lastWords({ code, err }: Ran): string {
  const line =
    err.split('\n').find((text) => text.startsWith('error')) ?? err.trim().split('\n').at(-1) ?? '';
  return `exit ${code ?? 'by signal'}: ${line.slice(0, 160)}`;
}

function join2(
  first: Findings,
  after: After,
  rest: Pick<Played, 'mode' | 'didHappen' | 'isLate' | 'seconds'>,
): Played {
  const both = (name: 'marks' | 'outside'): readonly string[] => [
    ...new Set([...first[name], ...after[name]]),
  ];
  return {
    ...rest,
    recorded: first.recorded,
    passed: after.passed,
    falsePass: first.falsePass ?? after.falsePass,
    marks: both('marks'),
    // What recovery brings back was not lost.
    lost: [...after.lost, ...first.lost.filter((what) => what === unreported && !after.lost.includes(what))],
    outside: both('outside'),
    isLate: rest.isLate || after.isLate,
    deadEnd: after.deadEnd,
  };
}

/** Whether the attack did what its family is about. */
export function showsEffect(
  { family }: HostileCase,
  played: Findings & Pick<Played, 'isLate' | 'deadEnd'>,
): boolean {
  switch (family) {
    case 'false-pass':
      return played.falsePass !== null;
    case 'code-in-runner':
      return played.marks.length > 0;
    case 'loss':
      return played.lost.length > 0;
    case 'outside':
      return played.outside.length > 0;
    case 'hang':
      return played.isLate || played.deadEnd !== null;
  }
}

/** What must never happen, in words; empty: all of it held. */
export function problemsOf(played: Played): readonly string[] {
  return [
    ...(played.didHappen ? [] : ['the attack did not run']),
    ...(played.falsePass === null ? [] : ['false pass']),
    ...(played.marks.length === 0 ? [] : [`ran ${played.marks.join(' ')}`]),
    ...(played.lost.length === 0 ? [] : [`lost ${played.lost.join(', ')}`]),
    ...(played.outside.length === 0 ? [] : played.outside),
    ...(played.isLate ? ['hangs'] : []),
    ...(played.deadEnd === null ? [] : [`dead end: ${played.deadEnd}`]),
  ];
}
