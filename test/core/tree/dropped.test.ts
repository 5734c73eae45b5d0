/** A dropped node is kept whole, and read only as the runner wrote it (§12). */
import { expect, test } from 'vitest';
import { droppedFile, parseDropped, renderDropped } from '../../../src/core/tree/dropped.ts';
import { node } from '../../support/trees.ts';

test('what is written is read again', () => {
  const text = renderDropped({ node: node('a.1', { attempts: 2 }), parent: 'a', why: 'not needed' });
  const { passes: _passes, children: _children, ...kept } = node('a.1', { attempts: 2 });
  expect(parseDropped(text)).toEqual({ why: 'not needed', parent: 'a', node: kept });
  expect(droppedFile('a.1')).toBe('nodes/a.1/dropped.json');
});

test.each(['', '[]', '{"why": 1}'])('%j is nothing the runner wrote', (text) => {
  expect(parseDropped(text)).toBeNull();
});
