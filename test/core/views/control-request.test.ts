/** Which changes a request may ask for: by table, and whatever is generated for addresses and bodies. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkGoalId } from '../../../src/core/config/goal-id.ts';
import { isJsonType, parseControl, targetOf } from '../../../src/core/views/control-request.ts';
import type { ControlTarget } from '../../../src/core/views/control-request.ts';

test.each<readonly [string, ControlTarget | null]>([
  ['/api/runs/start', { kind: 'start' }],
  ['/api/runs/one-1/cancel', { kind: 'cancel', run_id: 'one-1' }],
  ['/api/runs/one-1/pause', { kind: 'pause', run_id: 'one-1' }],
  ['/api/runs/start/resume', { kind: 'resume', run_id: 'start' }],
  ['/api/questions/3.1/answer', { kind: 'answer', question: '3.1' }],
  ['/api/questions/../answer', null],
  ['/api/questions/3.1/ask', null],
  ['/api/questions/a..b/answer', null],
  ['/api/runs', null],
  ['/api/runs/one', null],
  ['/api/runs/../cancel', null],
  ['/api/runs/.lock/cancel', null],
  ['/api/runs/one/delete', null],
  ['/api/runs/one/cancel/more', null],
  ['/api/tree/one/cancel', null],
  ['/other/runs/start', null],
  ['/', null],
])('%s', (path, target) => {
  expect(targetOf(path)).toEqual(target);
});

test('no address names anything but a plain id', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('cancel', 'pause', 'resume'), (name, verb) => {
      const target = targetOf(`/api/runs/${name}/${verb}`);
      if (target !== null && 'run_id' in target) expect(checkGoalId(target.run_id)).toBeNull();
    }),
  );
});

test('only JSON is taken', () => {
  expect(isJsonType('application/json')).toBe(true);
  expect(isJsonType('Application/JSON; charset=UTF-8')).toBe(true);
  const others = ['text/plain', 'application/json;boundary=x', 'text/plain; application/json', '', undefined];
  for (const other of others) expect(isJsonType(other)).toBe(false);
});

const start: ControlTarget = { kind: 'start' };
const cancel: ControlTarget = { kind: 'cancel', run_id: 'one' };
const answer: ControlTarget = { kind: 'answer', question: '3.1' };

test('bodies that fit', () => {
  const nothing = { goal: null, name: null, agent: null, model: null, max_iterations: null };
  expect(parseControl(start, '{}')).toEqual({ ok: true, request: { kind: 'start', ...nothing } });
  const body = { goal: '# A page\n', name: 'page-1', agent: 'codex', model: 'm', max_iterations: 3 };
  expect(parseControl(start, JSON.stringify(body))).toEqual({
    ok: true,
    request: { kind: 'start', ...body, goal: '# A page' },
  });
  expect(parseControl(cancel, ' {} ')).toEqual({ ok: true, request: cancel });
  const told = { kind: 'answer', question: '3.1', text: 'yes', run_id: null };
  expect(parseControl(answer, '{"text": " yes "}')).toEqual({ ok: true, request: told });
});

test.each<readonly [ControlTarget, string, string]>([
  [start, '', 'not JSON'],
  [start, '[]', 'body: '],
  [start, '{"goal": ""}', 'goal: '],
  [start, '{"name": "../x"}', 'name: '],
  [start, '{"agent": "-x"}', 'agent: '],
  [start, '{"model": "a\\nb"}', 'model: '],
  [start, '{"max_iterations": 0}', 'max_iterations: '],
  [start, '{"sandbox": "none"}', 'body: '],
  [start, '{"goal": "a", "goal": "b"}', 'not JSON'],
  [cancel, '{"force": true}', 'body: '],
  [cancel, 'null', 'body: '],
  [answer, '{}', 'text: '],
  [answer, '{"text": "yes", "run_id": ".."}', 'run_id: '],
])('%j refuses %s', (target, body, problem) => {
  const parsed = parseControl(target, body);
  expect(parsed.ok ? '' : parsed.problem).toContain(problem);
});

test('no body, however wrong, is an error of the server', () => {
  fc.assert(
    fc.property(fc.constantFrom(start, cancel, answer), fc.oneof(fc.string(), fc.json()), (target, body) => {
      const parsed = parseControl(target, body);
      expect(parsed.ok || parsed.problem.length <= 520).toBe(true);
    }),
  );
});
