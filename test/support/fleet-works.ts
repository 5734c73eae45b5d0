/** What a fleet may be asked to do, for tests of every engine. */
import fc from 'fast-check';
import type { FleetWork } from '../../src/eval/fleet/work-script.ts';

export const evalWork: FleetWork = {
  kind: 'eval',
  batch_id: 'Night_1',
  shards: 4,
  words: ['greeting', '--repeat', '3', '--model', "'a b'"],
  cases: { word: 'eval/cases', isBelow: true },
};

export const runsWork: FleetWork = {
  kind: 'runs',
  run_ids: ['add-api', 'fix.tests'],
  from: 'git@host:team/app.git',
  prefix: 'app/',
};

const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);

export const anyWork: fc.Arbitrary<FleetWork> = fc.oneof(
  fc.record({
    kind: fc.constant('eval' as const),
    batch_id: name,
    shards: fc.integer({ min: 1, max: 10_000 }),
    words: fc.array(name),
    cases: fc.record({ word: name, isBelow: fc.boolean() }),
  }),
  fc.record({
    kind: fc.constant('runs' as const),
    run_ids: fc.array(name, { minLength: 1 }),
    from: name,
    prefix: fc.constantFrom('', 'app/'),
  }),
);
