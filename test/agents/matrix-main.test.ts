/** The usual way of a run through every real CLI: decompose, refused by the check, taken, complete. Needs the CLIs; see matrix-tool.ts. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentTraits } from '../../src/core/config/agents.ts';
import { agentFacts, askedAgents, isAsked } from './agent-facts.ts';
import { agentId } from './catalogue.ts';
import { withDrive } from './drive.ts';
import type { Drive, DriveOptions, Ran } from './drive.ts';
import { isChosen } from './each-agent.ts';
import {
  canary,
  containedPath,
  failingCommand,
  guard,
  instructions,
  mainPath,
  projectFiles,
  ownSandbox,
  renewal,
  wrongCommand,
} from './main-path.ts';
import { noteCell } from './matrix-report.ts';
import { loadLookups } from './network.ts';
import { planted, tracePath } from './planted.ts';
import { runBare } from './run-bare.ts';
import { usualUsage } from './scenario.ts';

const rows = [
  { row: 'main path', sandbox: 'none' },
  { row: 'main path in bubblewrap', sandbox: 'bwrap' },
] as const;
const cells = rows
  .filter(({ row }) => isChosen(row))
  .flatMap(({ row, sandbox }) =>
    askedAgents.map((agent) => [row, agentId(agent), { agent, sandbox }] as const),
  );

/** One after the other: which names were looked up is only known of all processes together. */
describe.skipIf(!isAsked || cells.length === 0)('the main path', () => {
  it.each(cells)(
    '%s, %s',
    async (row, column, { agent, sandbox }) => {
      const isContained = sandbox === 'bwrap';
      const { hosts, login } = agentFacts[agent.name];
      const options: DriveOptions = {
        scenario: isContained ? containedPath(login.file) : mainPath,
        guard,
        sandbox,
        files: projectFiles,
        homeFiles: (base) => ({
          ...planted[agent.name].files(base),
          [canary.file]: canary.text,
          ...(isContained ? { [login.file]: login.text } : {}),
        }),
      };
      await withDrive(agent, options, async (drive) => {
        await noteCell({ row, column }, async () => {
          const before = loadLookups();
          const ran = await drive.start(['loop'], 480).done;
          expect(ran, ran.err).toMatchObject({ code: 0 });
          expectComplete(drive, ran);
          expectTokens(drive);
          expectEvents(drive);
          expectInstructions(drive);
          expectPlanted(drive, sandbox);
          expectRings(drive, sandbox);
          if (isContained) expectRenewed(drive);
          expect(drive.leftovers()).toEqual([]);
          expect(loadLookups().filter((name) => !before.includes(name))).toEqual(hosts);
          return 'complete';
        });
      });
    },
    600_000,
  );
});

/** The home folder is seen by an agent that has no sandbox, which shows that the look at it works. */
function expectRings(drive: Drive, sandbox: 'none' | 'bwrap'): void {
  expect([1, 2, 3, 4].map((iter) => drive.meta(iter)['rings'])).toEqual(
    Array.from({ length: 4 }, () => expect.objectContaining({ sandbox }) as unknown),
  );
  const isSeen = (text: string): boolean => drive.server.requests.some(({ body }) => body.includes(text));
  expect(isSeen(canary.text)).toBe(sandbox === 'none');
  const hasOwn = drive.agent.name === 'codex' && sandbox === 'none';
  expect([isSeen(ownSandbox.on), isSeen(ownSandbox.off)]).toEqual([hasOwn, !hasOwn]);
}

/** What the third session renewed is the person's login now, and that of the fourth; a file with settings is as it was. */
function expectRenewed(drive: Drive): void {
  const { login } = agentFacts[drive.agent.name];
  const token = login.isRenewed ? renewal.after : renewal.before;
  const text = login.text.replaceAll(renewal.before, token);
  expect(readFileSync(path.join(drive.home, login.file), 'utf8')).toBe(text);
  const fourth = drive.server.requests.filter(({ place }) => place?.session === 3);
  expect(fourth.some(({ body }) => body.includes(token))).toBe(true);
}

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

function expectPlanted({ agent, base }: Drive, sandbox: 'none' | 'bwrap'): void {
  const { traces } = planted[agent.name];
  const left = traces.filter((trace) => existsSync(tracePath(base, trace)));
  const { startsAnyway, startsInside } = agentFacts[agent.name];
  expect(left).toEqual(sandbox === 'none' ? startsAnyway : startsInside);
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
