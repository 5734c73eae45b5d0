import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { findProgram } from '../../../src/adapters/processes/program-path.ts';
import { scratchFolder } from '../../support/scratch.ts';

describe('findProgram', () => {
  let cwd = '';

  function program(name: string, mode = 0o755): string {
    const file = path.join(cwd, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '#!/bin/sh\n');
    chmodSync(file, mode);
    return file;
  }

  beforeEach(() => {
    cwd = scratchFolder();
  });

  test('takes the first executable file in PATH order', async () => {
    program('one/tool', 0o644);
    mkdirSync(path.join(cwd, 'two', 'tool'), { recursive: true });
    const found = program('three/tool');
    program('four/tool');
    const pathEnv = ['one', 'two', 'missing', 'three', 'four'].map((name) => path.join(cwd, name)).join(':');
    expect(await findProgram('tool', { cwd, pathEnv })).toBe(found);
  });

  test('a name with a slash starts from the folder and is not searched', async () => {
    const found = program('bin/tool');
    expect(await findProgram('./bin/tool', { cwd, pathEnv: undefined })).toBe(found);
    expect(await findProgram(found, { cwd: '/', pathEnv: undefined })).toBe(found);
    expect(await findProgram('bin/other', { cwd, pathEnv: path.join(cwd, 'bin') })).toBeNull();
  });

  test('empty and relative PATH entries mean the folder', async () => {
    const here = program('tool');
    const there = program('sub/other');
    expect(await findProgram('tool', { cwd, pathEnv: '/nowhere::' })).toBe(here);
    expect(await findProgram('other', { cwd, pathEnv: 'sub' })).toBe(there);
  });

  test('links to programs count, broken ones do not', async () => {
    const real = program('real');
    symlinkSync(real, path.join(cwd, 'good'));
    symlinkSync(path.join(cwd, 'gone'), path.join(cwd, 'bad'));
    expect(await findProgram('good', { cwd, pathEnv: cwd })).toBe(path.join(cwd, 'good'));
    expect(await findProgram('bad', { cwd, pathEnv: cwd })).toBeNull();
  });

  test.each(['', 'a\0b', 'no-such-program-anywhere'])('%j is not found', async (name) => {
    expect(await findProgram(name, { cwd, pathEnv: process.env['PATH'] })).toBeNull();
  });
});
