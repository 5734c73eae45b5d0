/** The usual way of a run through every real CLI: decompose, refused by the check, taken, complete. Needs the CLIs; see matrix-tool.ts. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agentTraits } from '../../src/core/config/agents.ts';
import { agentFacts, askedAgents, isAsked } from './agent-facts.ts';
import { agentId } from './catalogue.ts';
import { withDrive } from './drive.ts';
import type { Drive, Ran } from './drive.ts';
import { isChosen } from './each-agent.ts';
import { failingCommand, guard, instructions, mainPath, projectFiles, wrongCommand } from './main-path.ts';
import { noteCell } from './matrix-report.ts';
import { loadLookups } from './network.ts';
import { planted, tracePath } from './planted.ts';
import { runBare } from './run-bare.ts';
import { usualUsage } from './scenario.ts';

/** One after the other: which names were looked up is only known of all processes together. */
describe.skipIf(!isAsked || !isChosen('main path'))('the main path', () => {
  it.each(askedAgents.map((agent) => [agentId(agent), agent] as const))(
    '%s',
    async (column, agent) => {
      const { files } = planted[agent.name];
      const options = { scenario: mainPath, guard, files: projectFiles, homeFiles: files };
      await withDrive(agent, options, async (drive) => {
        await noteCell({ row: 'main path', column }, async () => {
          const before = loadLookups();
          const ran = await drive.start(['loop'], 240).done;
          expect(ran, ran.err).toMatchObject({ code: 0 });
          expectComplete(drive, ran);
          expectTokens(drive);
          expectEvents(drive);
          expectInstructions(drive);
          expectPlanted(drive);
          expect(drive.leftovers()).toEqual([]);
          expect(loadLookups().filter((name) => !before.includes(name))).toEqual(
            agentFacts[agent.name].hosts,
          );
          return 'complete';
        });
      });
    },
    300_000,
  );
});

function expectComplete(drive: Drive, ran: Ran): void {
  expect(ran.out.trimEnd().split('\n').at(-1)).toBe(
    'loop: status=complete run=test steps=4 started_at_iter=1',
  );
  expect(drive.subjects().toReversed().slice(2)).toEqual([
    'chore(loop): start run test',
    'chore(loop): run test iter 1 node root status=decomposed guard=skipped',
    'chore(loop): run test iter 2 node root.1 status=done guard=fail',
    'chore(loop): run test iter 3 node root.1 status=done guard=pass',
    'chore(loop): run test iter 4 node root.2 status=done guard=pass',
  ]);
  const tree = drive.tree();
  expect(tree.passes).toBe(true);
  expect(tree.children).toMatchObject([
    { id: 'root.1', title: 'Add', passes: true, attempts: 1 },
    { id: 'root.2', title: 'Multiply', passes: true, attempts: 0 },
  ]);
  expect(drive.git('status', '--porcelain', '--untracked-files=all')).toBe('');
  // The session after the refusal was told what the check said.
  expect(drive.log(3, 'prompt.md')).toContain('add.mjs is wrong');
}

const perRequest = usualUsage.input + usualUsage.output;

/** What the model said that it counted, to the token: of the iteration, the node and the run. */
function expectTokens(drive: Drive): void {
  if (!agentTraits[drive.agent.name].reportsTokens) {
    expect([1, 2, 3, 4].map((iter) => drive.meta(iter)['tokens'])).toEqual([null, null, null, null]);
    return;
  }
  const asked = drive.server.requests.flatMap(({ place }) => place?.session ?? []);
  const counts = [0, 1, 2, 3].map((session) => asked.filter((of) => of === session).length * perRequest);
  const [first = 0, second = 0, third = 0, fourth = 0] = counts;
  const run = [first, first + second, first + second + third, first + second + third + fourth];
  const node = [first, second, second + third, fourth];
  const found = [1, 2, 3, 4].map((iter) => {
    const { tokens, totals } = drive.meta(iter) as { tokens: number; totals: Record<string, unknown> };
    return { tokens, totals };
  });
  expect(found).toMatchObject(
    counts.map((tokens, index) => ({
      tokens,
      totals: { node: { tokens: node[index] }, run: { tokens: run[index] } },
    })),
  );
  const format = ['Tokens', 'Node-Tokens', 'Run-Tokens'].map(
    (name) => `%(trailers:key=Runner-${name},valueonly,separator=%x2c)`,
  );
  expect(drive.git('log', '-4', '--reverse', `--format=${format.join(' ')}`).split('\n')).toEqual(
    counts.map((tokens, index) => `${tokens} ${node[index]} ${run[index]}`),
  );
  expect(drive.runState().totals.tokens).toBe(run[3]);
}

function expectEvents(drive: Drive): void {
  const events = drive.events(2);
  const results = events.filter(({ type }) => type === 'tool_result');
  const calls = events.filter(({ type, tool }) => type === 'tool_call' && tool === 'shell');
  const resultOf = (command: string): unknown => {
    const call = calls.find(({ detail }) => String(detail).includes(command));
    return results.find(({ id }) => id === call?.['id']);
  };
  expect(resultOf(wrongCommand)).toMatchObject({ failed: false });
  expect(resultOf(failingCommand)).toMatchObject({
    failed: true,
    ...(agentFacts[drive.agent.name].tellsExitCode ? { exit_code: 7 } : {}),
  });
  expect(events.some(({ type }) => type === 'usage')).toBe(agentTraits[drive.agent.name].reportsTokens);
  expect(drive.events(4)).toContainEqual(
    expect.objectContaining({ type: 'file_edit', path: expect.stringContaining('mul.mjs') as string }),
  );
}

/** Also every session got the runner's own prompt, whole. */
function expectInstructions(drive: Drive): void {
  const { reads } = agentFacts[drive.agent.name];
  const sessions = drive.server.requests.filter(({ place }) => place?.turn === 0);
  expect(sessions).toHaveLength(4);
  for (const [index, { body }] of sessions.entries()) {
    const seen = Object.entries(instructions).filter(([, text]) => body.includes(text));
    expect(seen.map(([file]) => file)).toEqual(reads);
    const [line = ''] = drive.log(index + 1, 'prompt.md').split('\n');
    expect(body).toContain(JSON.stringify(line).slice(1, -1));
  }
}

function expectPlanted({ agent, base }: Drive): void {
  const { traces } = planted[agent.name];
  const left = traces.filter((trace) => existsSync(tracePath(base, trace)));
  expect(left).toEqual(agentFacts[agent.name].startsAnyway);
}

describe.skipIf(!isAsked || !isChosen('planted'))('what is planted works without our flags', () => {
  it.each(askedAgents.map((agent) => [agentId(agent), agent] as const))(
    '%s',
    async (column, agent) => {
      const { files, traces } = planted[agent.name];
      await withDrive(agent, { scenario: mainPath, homeFiles: files }, async (drive) => {
        await noteCell({ row: 'planted', column }, async () => {
          await runBare(drive, () => traces.every((trace) => existsSync(tracePath(drive.base, trace))));
          return traces.join(' ');
        });
      });
    },
    120_000,
  );
});
