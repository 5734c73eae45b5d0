import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anchorOf,
  findDisagreement,
  isSessionPhase,
  parseAnchor,
  renderAnchor,
} from '../../../src/core/iteration/anchor.ts';
import type { JournalEntry } from '../../../src/core/agents/session.ts';
import { journalBase } from '../../support/facts.ts';

const phases = ['agent', 'ended', 'guard', 'review', 'persisting'] as const;
const anyText = fc.string({ minLength: 1 });
const anyPhase = fc.constantFrom(...phases);

/** Only what an anchor looks at. */
function entryIn(phase: JournalEntry['phase'], changes: Partial<JournalEntry> = {}): JournalEntry {
  return { ...journalBase, ...changes, phase, control: 'c' } as unknown as JournalEntry;
}

describe('an anchor', () => {
  test('comes back as it was written', () => {
    fc.assert(
      fc.property(anyPhase, anyText, fc.array(anyText), (phase, baseline, dirty_submodules_before) => {
        const anchor = anchorOf(entryIn(phase, { baseline, dirty_submodules_before }));
        expect(parseAnchor(renderAnchor(anchor))).toEqual(anchor);
      }),
    );
  });

  test('says what the session could reach; one that does not say so means everything', () => {
    const { config } = journalBase;
    const bwrap = { ...config, sandbox: { ...config.sandbox, kind: 'bwrap' as const } };
    const anchor = anchorOf(entryIn('agent', { config: bwrap }));
    expect([anchor.is_walled_off, anchorOf(entryIn('agent')).is_walled_off]).toEqual([true, false]);
    const { is_walled_off: _, ...before } = anchor;
    expect(parseAnchor(JSON.stringify(before))).toEqual({ ...before, is_walled_off: false });
  });

  test.each(['', 'x', '{}', '[]', '{"run_id":"r"}'])('%j is none', (text) => {
    expect(parseAnchor(text)).toBe(null);
  });

  test('agrees with every journal that is not ahead of it', () => {
    fc.assert(
      fc.property(anyPhase, anyPhase, (noted, told) => {
        const isAhead = phases.indexOf(told) > phases.indexOf(noted);
        const found = findDisagreement(anchorOf(entryIn(noted)), entryIn(told));
        expect(found).toEqual(isAhead ? expect.arrayContaining(['phase is not what the runner noted']) : []);
      }),
    );
  });

  test.each(['run_id', 'branch', 'baseline', 'prefix', 'cookie', 'iter'] as const)(
    'does not agree with another %s',
    (key) => {
      const other = { [key]: key === 'iter' ? 99 : 'other' };
      const anchor = anchorOf(entryIn('ended'));
      expect(findDisagreement(anchor, entryIn('ended', other))).toEqual([
        `${key} is not what the runner noted`,
      ]);
    },
  );

  test('does not agree with another control, other submodules, or an entry that is no iteration', () => {
    const anchor = anchorOf(entryIn('persisting'));
    const forged = { ...entryIn('persisting'), control: 'd' } as JournalEntry;
    expect(findDisagreement(anchor, forged)).toEqual(['control is not what the runner noted']);
    const hidden = entryIn('ended', { dirty_submodules_before: ['sub'] });
    expect(findDisagreement(anchor, hidden)).toEqual([
      'dirty_submodules_before is not what the runner noted',
    ]);
    const start = { version: 1, kind: 'start', run_id: 'r', branch: 'main', commit: 'c' } as const;
    expect(findDisagreement(anchor, start)).toEqual(['it speaks of a start, but an iteration is open']);
  });
});

test('code of agents runs in sessions, guards and reviews', () => {
  expect(phases.filter(isSessionPhase)).toEqual(['agent', 'guard', 'review']);
});
