import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canKeep,
  configInForce,
  kindInForce,
  listGuardWays,
  outside,
  permissionsFor,
  renderUnresolved,
  renderWay,
  renderWayWarning,
  selectNextWay,
  selectWay,
} from '../../../src/core/config/in-force.ts';
import type { GuardWay, TriedWay } from '../../../src/core/config/in-force.ts';
import { defaultConfig } from '../../../src/core/config/default-config.ts';
import type { Config, ResolvedDefaults } from '../../../src/core/types.ts';

type Change = { readonly agent?: Partial<Config['agent']>; readonly sandbox?: Partial<Config['sandbox']> };

function configWith({ agent = {}, sandbox = {} }: Change = {}): Config {
  return {
    ...defaultConfig,
    agent: { ...defaultConfig.agent, ...agent },
    sandbox: { ...defaultConfig.sandbox, ...sandbox },
  };
}

const held: ResolvedDefaults = {
  permissions: 'workspace',
  sandbox: 'bwrap',
  guard: true,
  guard_network: false,
};
const offline: GuardWay = { guard: true, guard_network: false };
const online: GuardWay = { guard: true, guard_network: true };

describe('settings in force', () => {
  test('a run of an older version has no sandbox by itself, and codex keeps its own', () => {
    expect(configInForce(configWith(), null)).toMatchObject({
      agent: { permissions: 'workspace' },
      sandbox: { kind: 'none', guard: false, guard_network: true },
    });
    expect(configInForce(configWith({ agent: { name: 'claude' } }), null).agent.permissions).toBe('full');
  });

  test.each([
    [{}, null, 'runner config set sandbox.kind bwrap'],
    [{}, held, null],
    [{ sandbox: { kind: 'none' } }, null, null],
    [{ agent: { permissions: 'full' } }, null, null],
  ] as const)('a run without one that nobody chose is told: %j %j', (change, resolved, told) => {
    const text = renderUnresolved(configWith(change), resolved);
    if (told === null) expect(text).toBeNull();
    else expect(text).toContain(told);
  });

  test('what start found', () => {
    expect(configInForce(configWith({ agent: { name: 'claude' } }), held)).toMatchObject({
      agent: { permissions: 'workspace' },
      sandbox: { kind: 'bwrap', guard: true, guard_network: false },
    });
    expect(configInForce(configWith(), { ...held, guard: false }).sandbox.guard).toBe(false);
  });

  test('what is written counts more', () => {
    expect(configInForce(configWith({ sandbox: { kind: 'none' } }), held).sandbox.kind).toBe('none');
    expect(
      configInForce(configWith({ sandbox: { guard: false, guard_network: true } }), held).sandbox,
    ).toMatchObject({
      kind: 'bwrap',
      guard: false,
      guard_network: true,
    });
    // Who names a sandbox wants the guard in it.
    expect(
      configInForce(configWith({ sandbox: { kind: 'docker' } }), { ...held, guard: false }).sandbox,
    ).toMatchObject({
      kind: 'docker',
      guard: true,
    });
    expect(configInForce(configWith({ agent: { permissions: 'full' } }), held)).toMatchObject({
      agent: { permissions: 'full' },
      sandbox: { kind: 'none' },
    });
  });

  test('nothing is left open, and a second time changes nothing', () => {
    const kinds = fc.constantFrom('auto', 'none', 'bwrap', 'docker');
    const maybe = fc.constantFrom(null, true, false);
    fc.assert(
      fc.property(
        kinds,
        maybe,
        maybe,
        fc.constantFrom(null, held, { ...held, sandbox: 'none' as const }),
        (kind, guard, guard_network, resolved) => {
          const config = configInForce(
            configWith({ sandbox: { kind: kind, guard, guard_network } }),
            resolved,
          );
          expect(config.sandbox.kind).not.toBe('auto');
          expect([
            config.sandbox.guard,
            config.sandbox.guard_network,
            config.agent.permissions,
          ]).not.toContain(null);
          expect(configInForce(config, resolved)).toEqual(config);
        },
      ),
    );
  });

  test('one by one', () => {
    expect(kindInForce(configWith(), 'bwrap')).toBe('bwrap');
    expect(permissionsFor(configWith({ agent: { permissions: 'full' } }), 'bwrap')).toBe('full');
    expect(permissionsFor(configWith({ agent: { name: 'pi' } }), 'none')).toBe('full');
    const asked = (name: Config['agent']['name']) =>
      configWith({ agent: { name, permissions: 'workspace' } });
    expect([
      canKeep(asked('pi'), 'none'),
      canKeep(asked('pi'), 'bwrap'),
      canKeep(asked('codex'), 'none'),
    ]).toEqual([false, true, true]);
    expect(canKeep(configWith({ agent: { name: 'pi' } }), 'none')).toBe(true);
  });
});

describe('the ways of the guard', () => {
  test.each([
    [{}, 'bwrap', [offline, online, outside]],
    [{ kind: 'bwrap' }, 'bwrap', [offline, online]],
    [{ guard: true }, 'bwrap', [offline, online]],
    [{ guard_network: true }, 'bwrap', [online, outside]],
    [{ guard_network: false }, 'bwrap', [offline, outside]],
    [{ guard: false }, 'bwrap', [outside]],
    [{}, 'none', [outside]],
  ] as const)('%j with %s', (sandbox, kind, wanted) => {
    expect(listGuardWays(configWith({ sandbox }), kind)).toEqual(wanted);
  });

  /** Tries until enough is known, with a guard that is green in these ways. */
  function play(ways: readonly GuardWay[], green: readonly GuardWay[]): readonly TriedWay[] {
    const tried: TriedWay[] = [];
    for (let way = selectNextWay(ways, tried); way !== null; way = selectNextWay(ways, tried))
      tried.push({ way, isGreen: green.includes(way) });
    return tried;
  }

  const all = [offline, online, outside];

  test.each([
    ['green everywhere', all, [offline], offline],
    ['needs a network', [online, outside], [offline, outside, online], online],
    ['needs the machine', [outside], [offline, outside, online], outside],
    ['red everywhere', [], [offline, outside], outside],
  ])('%s', (_name, green, order, chosen) => {
    const tried = play(all, green);
    expect(tried.map(({ way }) => way)).toEqual(order);
    expect(selectWay(all, tried)).toBe(chosen);
  });

  test('it ends, tries each way once, and takes the safest green one', () => {
    fc.assert(
      fc.property(fc.subarray(all, { minLength: 1 }), fc.subarray(all), (ways, green) => {
        const tried = play(ways, green);
        const order = tried.map(({ way }) => way);
        expect(new Set(order).size).toBe(order.length);
        const isMonotonous = green.includes(ways.at(-1) ?? outside);
        const wanted = isMonotonous ? ways.find((way) => green.includes(way)) : undefined;
        if (wanted !== undefined) expect(selectWay(ways, tried)).toBe(wanted);
      }),
    );
  });

  test('nothing tried, nothing there', () => {
    expect(selectWay(all, [])).toBe(outside);
    expect(selectWay([], [])).toBe(outside);
    expect(selectNextWay([outside], [{ way: outside, isGreen: true }])).toBeNull();
  });

  test('in words', () => {
    expect([offline, online, outside].map(renderWay)).toEqual([
      'in the sandbox without a network',
      'in the sandbox with a network',
      'outside the sandbox',
    ]);
    expect(renderWayWarning(all, play(all, all))).toBeNull();
    expect(renderWayWarning(all, play(all, [online, outside]))).toBe(
      'the guard runs in the sandbox with a network, because it is red otherwise; to do without: runner config set sandbox.guard_network false',
    );
    expect(renderWayWarning(all, play(all, []))).toBe(
      'the guard runs outside the sandbox, because it was never seen green; to keep it inside: runner config set sandbox.guard true (sandbox.read and sandbox.write open what it needs)',
    );
  });
});
