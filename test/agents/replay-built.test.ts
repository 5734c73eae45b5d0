/** Some recordings through the built runner: the commits, totals and messages that a person gets of them. */
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { project } from '../support/project.ts';
import type { Project } from '../support/project.ts';
import { agentId, realAgents } from './catalogue.ts';
import { loadRecording } from './recording-file.ts';
import type { RecordedSession } from './recording-file.ts';
import { saveProgram } from './replay-session.ts';

const names = new Set(['codex', 'gemini']);
const agents = realAgents
  .filter(({ name }) => names.has(name))
  .map((agent) => ({ id: agentId(agent), agent }));

/** The next session is this recording; `work` is what its tools did. */
function play(p: Project, recorded: RecordedSession, work = ''): void {
  const program = saveProgram(recorded, path.join(p.home, 'recorded'));
  const bin = path.join(p.home, 'agent');
  writeFileSync(bin, `#!/bin/sh\n${work}\n${program}\n`);
  chmodSync(bin, 0o755);
}

async function trailers(p: Project): Promise<string> {
  const wanted = ['Agent', 'Tokens', 'Run-Tokens'];
  const format = wanted.map((name) => `%(trailers:key=Runner-${name},valueonly,separator=%x2c)`);
  return (await p.git('log', '-1', `--format=${format.join('|')}`)).trim();
}

describe.each(agents)('$id', ({ id, agent }) => {
  test('decomposed, no answer, done, blocked', async () => {
    const p = await project({ agent: `name = "${agent.name}"\nbin = "bin-of-the-agent"` });
    const env = {
      PATH: `${p.home}:${process.env['PATH'] ?? ''}`,
      RUNNER_AGENT_BIN: path.join(p.home, 'agent'),
    };
    const step = async (recording: string, work?: string) => {
      play(p, loadRecording(id, recording), work);
      return p.runWith(env, 'step');
    };
    expect(await step('decomposed')).toMatchObject({
      code: 0,
      out: 'step: run=test iter=1 node=root status=decomposed guard=skipped',
    });
    expect(await trailers(p)).toBe(`${agent.name} replay 1.0.0|1260|1260`);
    expect(await step('prose')).toMatchObject({
      code: 0,
      out: 'step: run=test iter=2 node=root.1 status=retry guard=skipped',
    });
    expect(p.tree().children[0]).toMatchObject({ title: 'Add', passes: false, attempts: 0 });
    expect(await step('done', 'echo made > made.txt')).toMatchObject({
      code: 0,
      out: 'step: run=test iter=3 node=root.1 status=done guard=pass',
    });
    expect(await trailers(p)).toMatch(/\|3780\|\d+$/);
    expect(p.tree().children[0]).toMatchObject({ passes: true });
    const blocked = await step('401');
    expect(blocked).toMatchObject({ code: 1, out: '' });
    expect(blocked.err).toContain('[AGENT_BLOCKED]');
    expect(p.runState().next_iter).toBe(4);
  });
});
