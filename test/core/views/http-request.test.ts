/** Which requests are answered: by table, and whatever is generated for host, origin, site, method and target. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RequestFacts } from '../../../src/core/views/http-request.ts';
import { checkRequest, isLoopback, isWildcard, listHosts } from '../../../src/core/views/http-request.ts';

const allowed = listHosts([], 3001);
const fine: RequestFacts = {
  method: 'GET',
  target: '/api/tree',
  hosts: ['localhost:3001'],
  origins: [],
  fetchSites: [],
};

test('what a browser on this machine sends is answered', () => {
  expect(checkRequest(fine, allowed)).toEqual({ ok: true, path: '/api/tree', query: '' });
  expect(checkRequest({ ...fine, target: '/api/runs?run=a%20b' }, allowed)).toEqual({
    ok: true,
    path: '/api/runs',
    query: 'run=a%20b',
  });
  const full = { ...fine, method: 'HEAD', origins: ['http://LOCALHOST:3001'], fetchSites: ['same-origin'] };
  expect(checkRequest(full, allowed)).toMatchObject({ ok: true });
  expect(checkRequest({ ...fine, hosts: ['[::1]:3001'], fetchSites: ['none'] }, allowed)).toMatchObject({
    ok: true,
  });
});

test.each<readonly [Partial<RequestFacts>, number, string]>([
  [{ hosts: [] }, 403, 'host_refused'],
  [{ hosts: ['localhost:3001', 'localhost:3001'] }, 403, 'host_refused'],
  [{ hosts: ['localhost'] }, 403, 'host_refused'],
  [{ hosts: ['localhost.:3001'] }, 403, 'host_refused'],
  [{ hosts: ['evil.example:3001'] }, 403, 'host_refused'],
  [{ fetchSites: ['cross-site'] }, 403, 'site_refused'],
  [{ fetchSites: ['none', 'same-site'] }, 403, 'site_refused'],
  [{ origins: ['null'] }, 403, 'origin_refused'],
  [{ origins: ['http://127.0.0.1:3001'] }, 403, 'origin_refused'],
  [{ method: 'POST' }, 405, 'method_refused'],
  [{ target: `/${'a'.repeat(2048)}` }, 400, 'target_too_long'],
  [{ target: 'http://localhost:3001/' }, 400, 'target_refused'],
  [{ target: '//x' }, 400, 'target_refused'],
  [{ target: '/a/%2e%2e/b' }, 400, 'target_refused'],
  [{ target: '/a?b#c' }, 400, 'target_refused'],
  [{ target: '*' }, 400, 'target_refused'],
])('$1 $2 is refused', (change, status, code) => {
  expect(checkRequest({ ...fine, ...change }, allowed)).toMatchObject({ ok: false, status, code });
});

test('with control POST is let through, and nothing else', () => {
  expect(checkRequest({ ...fine, method: 'POST' }, allowed, true)).toMatchObject({ ok: true });
  expect(checkRequest(fine, allowed, true)).toMatchObject({ ok: true });
  const put = { ...fine, method: 'PUT' };
  expect(checkRequest(put, allowed, true)).toMatchObject({ ok: false, code: 'method_refused' });
  const foreign = { ...fine, method: 'POST', origins: ['http://evil.example'] };
  expect(checkRequest(foreign, allowed, true)).toMatchObject({ ok: false, code: 'origin_refused' });
});

test('only the listed hosts are answered, and no answer carries a character that is not plain', () => {
  const words = fc.oneof(
    fc.string(),
    fc.constantFrom(...allowed, 'http://localhost:3001', '/', '/api/tree', 'GET'),
  );
  const facts = fc.record({
    method: words,
    target: words,
    hosts: fc.array(words, { maxLength: 2 }),
    origins: fc.array(words, { maxLength: 1 }),
    fetchSites: fc.array(words, { maxLength: 1 }),
  });
  fc.assert(
    fc.property(facts, (given) => {
      const checked = checkRequest(given, allowed);
      if (!checked.ok) return;
      expect(given.hosts).toHaveLength(1);
      expect([...allowed]).toContain(given.hosts[0]?.toLowerCase());
      expect(checked.path).toMatch(/^\/[\w./-]*$/);
      expect(checked.path).not.toContain('//');
    }),
  );
});

test('hosts: ports, brackets, and the usual port left out', () => {
  expect([...listHosts(['FE80::1', 'box'], 80)]).toEqual([
    'localhost:80',
    'localhost',
    '127.0.0.1:80',
    '127.0.0.1',
    '[::1]:80',
    '[::1]',
    '[fe80::1]:80',
    '[fe80::1]',
    'box:80',
    'box',
  ]);
});

test('loopback and wildcards', () => {
  expect(['localhost', '127.0.0.1', '127.9.9.9', '::1', 'LOCALHOST'].map(isLoopback)).not.toContain(false);
  expect(['0.0.0.0', '::', '10.0.0.1', 'localhost.evil', '127.0.0.1.evil', ''].map(isLoopback)).not.toContain(
    true,
  );
  expect(['0.0.0.0', '::', '0:0:0:0:0:0:0:0'].map(isWildcard)).not.toContain(false);
  expect(['::1', '10.0.0.0', 'box', ''].map(isWildcard)).not.toContain(true);
});
