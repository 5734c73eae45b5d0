/** Replays the transitions of a run in order and names the first one that does not follow (§15). */
import { parseTree } from '../tree/tree-schema.ts';
import type { TreeNode } from '../types.ts';
import { checkBetween } from './check-person.ts';
import { checkIteration } from './check-iteration.ts';
import { problem } from './problem.ts';
import type { Trace } from './trace.ts';
import { trailer } from './trailers.ts';
import type { Facts, Problem, Transition } from './transition.ts';

export interface WrongTransition extends Problem {
  readonly commit: string;
  readonly kind: Transition['kind'] | 'finish';
  /** Null: it is no iteration. */
  readonly iter: number | null;
  readonly node_id: string | null;
}

export interface Pass {
  readonly commit: string;
  readonly iter: number;
  readonly node_id: string;
  /** What decided the verdict and was not in config.toml, `key=value`. */
  readonly settings: readonly string[];
}

export interface Proof {
  /** `not_provable`: iterations are from a version whose commits do not say enough, or commits are missing in a shallow clone. */
  readonly verdict: 'proven' | 'unproven' | 'not_provable';
  readonly transitions: number;
  readonly iterations: number;
  readonly passes: readonly Pass[];
  /** Commits of people that changed passed nodes or what was used up, the first that does not follow among them. */
  readonly by_hand: readonly WrongTransition[];
  readonly first: WrongTransition | null;
  /** Of iterations that are not provable: the first; of a shallow history: the oldest commit that is there. */
  readonly unprovable: string | null;
  readonly is_shallow: boolean;
}

export interface ReplayInput {
  readonly trace: Trace;
  /** The run's last commit. */
  readonly tip: string;
  readonly factsOf: (transition: Transition) => Facts;
  readonly sha256: (text: string) => string;
}

const nothing: Omit<WrongTransition, 'commit'> = {
  kind: 'plain',
  iter: null,
  node_id: null,
  rule: 'start',
  expected: 'a commit of the run',
  found: 'another commit',
};

export function replay({ trace, tip, factsOf, sha256 }: ReplayInput): Proof {
  const { transitions } = trace;
  const [oldest] = transitions;
  const proof: Proof = {
    verdict: 'proven',
    transitions: transitions.length,
    iterations: transitions.filter(({ kind }) => kind === 'iteration').length,
    passes: transitions.flatMap(passOf),
    by_hand: [],
    first: null,
    unprovable: null,
    is_shallow: trace.isShallow,
  };
  if (oldest === undefined) return unproven(proof, [], { ...nothing, commit: tip });
  if (trace.isShallow) return { ...proof, verdict: 'not_provable', unprovable: oldest.commit.id };
  if (!trace.isWhole && !trace.isCut) {
    const found = problem('start', 'the commit that begins the run', 'another commit');
    return unproven(proof, [], wrongOf(oldest, found));
  }
  const isOld = oldest.kind !== 'start' || trailer(oldest.trailers, 'Proof') === null;
  const needsWork = !isOld && trailer(oldest.trailers, 'Proof') !== '1';
  const byHand: WrongTransition[] = [];
  let known = firstTree(oldest, factsOf);
  /** The oldest commit since which the tree cannot be read. */
  let lost: Transition | null = null;
  for (const transition of transitions) {
    const facts = factsOf(transition);
    if (isOld && lacksTrailers(transition))
      return { ...proof, verdict: 'not_provable', by_hand: byHand, unprovable: transition.commit.id };
    const found =
      transition.kind === 'iteration'
        ? checkIteration(transition, facts, { sha256, needsWork })
        : checkBetween(transition, facts, known);
    if (found !== null) {
      const wrong = wrongOf(transition, found);
      // The new baseline all the same: everything after it is still checked.
      if (transition.kind !== 'plain') return unproven(proof, byHand, wrong);
      byHand.push(wrong);
    }
    const tree = treeOf(facts);
    lost = tree === null ? (lost ?? transition) : null;
    known = tree ?? known;
  }
  // What nobody can read proves nothing; once a later commit has mended it, that one is compared with what was before.
  const unread = lost === null ? null : wrongOf(lost, problem('tree.json', 'readable', 'it cannot be read'));
  return byHand.length === 0 && unread === null ? proof : unproven(proof, byHand, unread);
}

/** What the oldest is compared with, where the history before it is not looked at. */
function firstTree(oldest: Transition, factsOf: ReplayInput['factsOf']): TreeNode | null {
  const parsed = parseTree(factsOf(oldest).before.tree);
  return parsed.ok ? parsed.tree : null;
}

function treeOf({ after }: Facts): TreeNode | null {
  const parsed = parseTree(after.tree);
  return parsed.ok ? parsed.tree : null;
}

function unproven(proof: Proof, byHand: readonly WrongTransition[], wrong: WrongTransition | null): Proof {
  return { ...proof, verdict: 'unproven', by_hand: byHand, first: byHand[0] ?? wrong };
}

function wrongOf(transition: Transition, found: Problem): WrongTransition {
  const of = transition.kind === 'iteration' ? transition.subject : null;
  return {
    commit: transition.commit.id,
    kind: transition.kind,
    iter: of?.iter ?? null,
    node_id: of?.node_id ?? null,
    ...found,
  };
}

function lacksTrailers(transition: Transition): boolean {
  return (
    transition.kind === 'iteration' &&
    (trailer(transition.trailers, 'Baseline') === null || trailer(transition.trailers, 'Outcome') === null)
  );
}

function passOf(transition: Transition): readonly Pass[] {
  if (transition.kind !== 'iteration' || transition.subject.guard !== 'pass') return [];
  const { iter, node_id } = transition.subject;
  const settings = transition.trailers.get('Setting') ?? [];
  return [{ commit: transition.commit.id, iter, node_id, settings }];
}
