/**
 * An answer of megabytes through every real CLI while nobody reads: nothing of it is cut, it is refused by its size, and the runner
 * does not grow with what a CLI prints.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { waitUntil } from '../support/scratch.ts';
import type { Drive } from './drive.ts';
import { describeRows } from './each-agent.ts';
import { bigSummary } from './model-api.ts';

/** pi prints the whole message again with every piece of it: of 5 MB it makes 800 MB. */
const isFull = process.env['RUNNER_TEST_AGENTS_FULL'] !== undefined;
const bytes = 5_000_000;
const piBytes = isFull ? bytes : 1_000_000;

/** Of the runner, with what a CLI prints read line by line. */
const peakMaxMb = 400;

/** Loaded into the runner alone: no agent gets NODE_OPTIONS. */
const peakScript = `process.on('exit', () => {
  require('node:fs').writeFileSync(process.env.HOME + '/peak', String(process.resourceUsage().maxRSS));
});
`;

function answerBytes(summary: string): number {
  return Buffer.byteLength(JSON.stringify({ status: 'done', summary, children: null }));
}

function sizeOf({ agent }: Pick<Drive, 'agent'>): number {
  return agent.name === 'pi' ? piBytes : bytes;
}

/** gemini prints its message in pieces, each a record of its own; of the others the log is the message. */
function messagesIn(log: string): string {
  const pieces = log.split('\n').flatMap((line) => {
    const found = /^\{.*"type":"message".*"delta":true/.test(line) ? (JSON.parse(line) as unknown) : null;
    return found === null ? [] : [String((found as { readonly content?: unknown }).content)];
  });
  return `${log}\n${pieces.join('')}`;
}

/** Stopped from the moment the model answers until the CLI is gone. */
async function runUnread(drive: Drive): Promise<string> {
  writeFileSync(path.join(drive.home, 'peak.cjs'), peakScript);
  const running = drive.start(['loop'], 200, { NODE_OPTIONS: `--require=${drive.home}/peak.cjs` });
  await Promise.race([drive.server.waitForTurns(1), running.done]);
  process.kill(running.pid, 'SIGSTOP');
  await waitUntil('the CLI has ended', () => drive.leftovers().length <= 1, 180_000);
  process.kill(running.pid, 'SIGCONT');
  const ran = await running.done;
  expect(ran.code, ran.err).toBe(1);
  expect(ran.err).toContain('[AGENT_FAILING]');
  return ran.err;
}

describeRows('an answer of megabytes', [
  {
    name: 'big',
    settings: (agent) => ({
      scenario: () => ({ sessions: [[{ kind: 'big', bytes: sizeOf({ agent }) }]] }),
      top: { executor_output_limit_bytes: 1_000_000_000, iteration_timeout_secs: 180 },
      agent: { max_failures: 1 },
    }),
    check: async (drive) => {
      const summary = bigSummary(sizeOf(drive));
      const err = await runUnread(drive);
      expect(err).toContain(`the answer has ${answerBytes(summary)} bytes; at most 65536 are allowed`);
      expect(drive.meta(1)).toMatchObject({ status: 'retry', guard: 'skipped', failure: 'malformed' });
      expect(messagesIn(drive.log(1, 'executor.log')).includes(summary)).toBe(true);
      expect(drive.leftovers()).toEqual([]);
      const peakMb = Number(readFileSync(path.join(drive.home, 'peak'), 'utf8')) / 1024;
      expect(peakMb).toBeLessThan(peakMaxMb);
      const printedMb = Buffer.byteLength(drive.log(1, 'executor.log')) / 1e6;
      return `refused whole; printed ${printedMb.toFixed(0)} MB, runner ${peakMb.toFixed(0)} MB`;
    },
  },
]);
