import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { layout } from '../../../src/adapters/files/layout.ts';
import { promptBuilder } from '../../../src/adapters/project/prompt-builder.ts';
import { textFileBytesMax } from '../../../src/core/limits.ts';
import { scratchFolder } from '../../support/scratch.ts';

test('missing files are empty, the others are their text', async () => {
  const place = layout(scratchFolder());
  const empty = { assumptions: '', questions: '', answers: '', feedback: '', improvements: '' };
  expect(await promptBuilder(place).loadMemory()).toEqual(empty);
  mkdirSync(place.stateDir, { recursive: true });
  writeFileSync(place.memory.assumptions, 'a');
  writeFileSync(place.memory.questions, 'q');
  writeFileSync(place.memory.answers, 'w');
  writeFileSync(place.memory.feedback, 'f');
  writeFileSync(place.memory.improvements, 'i');
  expect(await promptBuilder(place).loadMemory()).toEqual({
    assumptions: 'a',
    questions: 'q',
    answers: 'w',
    feedback: 'f',
    improvements: 'i',
  });
});

test('whatever an agent makes of them becomes text', async () => {
  const place = layout(scratchFolder());
  mkdirSync(place.memory.assumptions, { recursive: true });
  writeFileSync(place.memory.questions, Buffer.from([0x61, 0xff, 0x62]));
  writeFileSync(place.memory.feedback, `old${'x'.repeat(textFileBytesMax)}newest`);
  symlinkSync('/etc/passwd', place.memory.improvements);
  const memory = await promptBuilder(place).loadMemory();
  expect(memory.assumptions).toBe('');
  expect(memory.questions).toBe('a\uFFFDb');
  expect(memory.feedback.endsWith('xnewest')).toBe(true);
  expect(memory.feedback).toHaveLength(textFileBytesMax);
  expect(memory.improvements).toBe('');
});
