import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { journalStore } from '../../../src/adapters/project/journal-store.ts';
import { privateLayout } from '../../../src/adapters/files/layout.ts';
import type { AnyJournal } from '../../../src/core/agents/session.ts';
import { unknownUsage } from '../../../src/core/agents/usage.ts';
import { journalBase } from '../../support/facts.ts';
import { scratchFolder } from '../../support/scratch.ts';

function ended(text: string): AnyJournal {
  return {
    ...journalBase,
    phase: 'ended',
    session: {
      end: { kind: 'exited' },
      answer: { kind: 'missing' },
      exit_code: 0,
      duration_ms: 1,
      usage: unknownUsage,
      denials: [],
      leftovers: [],
      sessions: 1,
      waited_secs: 0,
      head: 'h',
      notes: [],
      protected_paths: [],
      dirty_submodules: [],
      agent_tree: { kind: 'text', text },
    },
  };
}

test('nothing, an entry, the next one, nothing again', async () => {
  const place = privateLayout(scratchFolder());
  const journal = journalStore({ own: place, env: { HOME: join(place.gitDir, 'home') } });
  expect(await journal.load()).toBeNull();
  await journal.close();
  await journal.save({ ...journalBase, phase: 'agent' });
  expect(await journal.load()).toEqual({ ...journalBase, phase: 'agent' });
  await journal.save(ended('small'));
  expect(await journalStore({ own: place, env: { HOME: join(place.gitDir, 'home') } }).load()).toEqual(
    ended('small'),
  );
  expect(existsSync(place.stashDir)).toBe(false);
  await journal.close();
  expect(await journal.load()).toBeNull();
});

test('each entry is a line, the newest whole one counts, and one file serves every iteration', async () => {
  const place = privateLayout(scratchFolder());
  const journal = journalStore({ own: place, env: { HOME: join(place.gitDir, 'home') } });
  await journal.save({ ...journalBase, phase: 'agent' });
  await journal.save(ended('small'));
  const text = readFileSync(place.journal, 'utf8');
  const { ino } = statSync(place.journal);
  expect(text.split('\n').filter(Boolean)).toHaveLength(2);
  writeFileSync(place.journal, text.slice(0, -1));
  expect(await journal.load()).toEqual({ ...journalBase, phase: 'agent' });
  await journal.save(ended('again'));
  expect(await journal.load()).toEqual(ended('again'));
  await journal.close();
  expect([readFileSync(place.journal, 'utf8'), statSync(place.journal).ino]).toEqual(['', ino]);
  // Killed before the first entry of the next iteration was whole: nothing has begun.
  writeFileSync(place.journal, text.slice(0, 20));
  expect(await journal.load()).toBeNull();
});

test('a line that was cut off within a character takes no other with it, wherever it stands', async () => {
  const place = privateLayout(scratchFolder());
  const journal = journalStore({ own: place, env: { HOME: join(place.gitDir, 'home') } });
  await journal.save(ended('före'));
  const half = Buffer.from('\n{"stash":null,"entry":"fö').subarray(0, -1);
  appendFileSync(place.journal, half);
  expect(await journal.load()).toEqual(ended('före'));
  expect(await journal.peek()).toEqual(ended('före'));
  await journal.save(ended('efter'));
  expect(await journal.load()).toEqual(ended('efter'));
  appendFileSync(place.journal, half);
  expect(await journal.load()).toEqual(ended('efter'));
});

test('folders in the place of kept copies are in nobody’s way, and are not lost', async () => {
  const place = privateLayout(scratchFolder());
  const journal = journalStore({ own: place, env: { HOME: join(place.gitDir, 'home') } });
  mkdirSync(join(place.stashDir, 'd', 'e'), { recursive: true });
  await journal.save({ ...journalBase, phase: 'agent' });
  expect(await journal.load()).toEqual({ ...journalBase, phase: 'agent' });
  expect(readdirSync(place.quarantine('session'))).toEqual(['d']);
  mkdirSync(join(place.stashDir, 'x'));
  await journal.close();
  expect(await journal.load()).toBeNull();
});

test('a large tree is kept beside the entry, written once and removed with it', async () => {
  const place = privateLayout(scratchFolder());
  const journal = journalStore({ own: place, env: { HOME: join(place.gitDir, 'home') } });
  const entry = ended('ü'.repeat(100_000));
  await journal.save(entry);
  expect(statSync(place.journal).size).toBeLessThan(10_000);
  const [name = ''] = readdirSync(place.stashDir);
  const { ino } = statSync(join(place.stashDir, name));
  await journal.save(entry);
  expect(statSync(join(place.stashDir, name)).ino).toBe(ino);
  expect(await journal.load()).toEqual(entry);
  await journal.close();
  expect(readdirSync(place.stashDir)).toEqual([]);
});

test('a damaged or missing copy makes the tree unreadable and nothing else', async () => {
  const place = privateLayout(scratchFolder());
  const journal = journalStore({ own: place, env: { HOME: join(place.gitDir, 'home') } });
  const entry = ended('x'.repeat(100_000));
  await journal.save(entry);
  const [name = ''] = readdirSync(place.stashDir);
  const path = place.stash(name);
  writeFileSync(path, readFileSync(path, 'utf8').replace('x', 'y'));
  const message = `the kept copy ${path} is missing or damaged`;
  expect(await journal.load()).toMatchObject({
    phase: 'ended',
    session: { exit_code: 0, agent_tree: { kind: 'unreadable', message } },
  });
  await journal.save(entry);
  expect(await journal.load()).toEqual(entry);
});

test.each(['{\n', '{"stash":null,"entry":{}}\n', Buffer.from([0xff, 0x0a])])(
  'a journal %j is refused with the command that helps',
  async (text) => {
    const place = privateLayout(scratchFolder());
    mkdirSync(place.root);
    writeFileSync(place.journal, text);
    await expect(
      journalStore({ own: place, env: { HOME: join(place.gitDir, 'home') } }).load(),
    ).rejects.toMatchObject({
      code: 'INTERNAL',
      message: expect.stringContaining(place.journal) as unknown,
      hint: expect.stringContaining(`mv ${place.journal} ${place.journal}.bad`) as unknown,
    });
  },
);

test('a look at the journal changes nothing, leaves a large tree where it is and never fails', async () => {
  const place = privateLayout(scratchFolder());
  const journal = journalStore({ own: place, env: { HOME: join(place.gitDir, 'home') } });
  expect(await journal.peek()).toBeNull();
  expect(existsSync(place.root)).toBe(false);
  await journal.save(ended('ü'.repeat(100_000)));
  expect(await journal.peek()).toMatchObject({
    phase: 'ended',
    session: { agent_tree: { kind: 'missing' } },
  });
  writeFileSync(place.journal, '{"entry"\n');
  expect(await journal.peek()).toBeNull();
  await expect(journal.load()).rejects.toMatchObject({ code: 'INTERNAL' });
});

describe('recall: the journal is believed as far as the note in the state folder agrees', () => {
  const open = () => {
    const place = privateLayout(scratchFolder());
    const home = join(place.gitDir, 'home');
    return { place, home, journal: journalStore({ own: place, env: { HOME: home } }) };
  };

  test('what was saved comes back, a large tree included, and nothing once it is closed', async () => {
    const { home, journal } = open();
    expect(await journal.recall()).toEqual({ kind: 'none' });
    const entry = ended('x'.repeat(100_000));
    await journal.save({ ...journalBase, phase: 'agent' });
    await journal.save(entry);
    expect(await journal.recall()).toMatchObject({ kind: 'entry', entry, anchor: { phase: 'ended' } });
    await journal.close();
    expect(await journal.recall()).toEqual({ kind: 'none' });
    expect(readdirSync(join(home, '.local/state/runner/open'), { recursive: true })).toHaveLength(1);
  });

  test('a forged line, a removed journal and an unreadable one are a loss, with what the runner noted', async () => {
    const { place, journal } = open();
    await journal.save({ ...journalBase, phase: 'agent' });
    const line = JSON.stringify({ stash: null, entry: ended('t') });
    appendFileSync(place.journal, `${line}\n`);
    const anchor = { baseline: journalBase.baseline, phase: 'agent' };
    expect(await journal.recall()).toMatchObject({
      kind: 'lost',
      anchor,
      problems: ['phase is not what the runner noted'],
    });
    writeFileSync(place.journal, 'no journal\n');
    expect(await journal.recall()).toMatchObject({ kind: 'lost', anchor });
    expect(await journal.setAside()).toContain('quarantine/journal/journal.jsonl');
    expect(await journal.recall()).toMatchObject({ kind: 'lost', anchor, problems: ['it is empty or gone'] });
    expect(await journal.setAside()).toBe(null);
  });

  test('a journal that is behind the note, and one without a note, are believed', async () => {
    const { place, home, journal } = open();
    await journal.save(ended('t'));
    const behind = { stash: null, entry: { ...journalBase, phase: 'agent' } };
    writeFileSync(place.journal, `${JSON.stringify(behind)}\n`);
    expect(await journal.recall()).toMatchObject({
      kind: 'entry',
      entry: { phase: 'agent' },
      anchor: { phase: 'ended' },
    });
    rmSync(home, { recursive: true });
    expect(await journal.recall()).toMatchObject({ kind: 'entry', anchor: null });
  });

  test('where no state folder can be written the git folder keeps the note', async () => {
    const place = privateLayout(scratchFolder());
    const journal = journalStore({ own: place, env: { XDG_STATE_HOME: '/dev/null/none' } });
    await journal.save({ ...journalBase, phase: 'agent' });
    expect(existsSync(join(place.root, 'iteration.json'))).toBe(true);
    expect(await journal.recall()).toMatchObject({ kind: 'entry', anchor: { phase: 'agent' } });
  });
});
