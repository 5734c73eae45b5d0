import { expect, test } from 'vitest';
import { provenConfig } from '../../../src/core/proof/settings.ts';
import { configWith } from '../../support/facts.ts';

test('defaults, then the file, then what the commit says; other keys are left alone', () => {
  expect(provenConfig({}, new Map())).toEqual(configWith());
  const file = { on_stuck: 'defer', unknown: 1, tree: { max_repairs: 5 }, guard: 'odd' };
  const trailers = new Map([['Setting', ['tree.max_repairs=0', 'guard.policy="open"', 'agent.name="x"']]]);
  expect(provenConfig(file, trailers)).toMatchObject({ on_stuck: 'defer', tree: { max_repairs: 0 } });
  expect(provenConfig(null, trailers)).toEqual(configWith());
});
