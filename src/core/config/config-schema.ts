/**
 * The keys of `config.toml` with their defaults, bounds and descriptions (§9): the one source of the checks, of the shipped
 * JSON Schema and of what editors show. Rules that join several keys are in config-rules.ts.
 */
import * as z from 'zod';

import { amount, argv, choice, filled, flag, must, variableNames, whole } from '../text/schema-fields.ts';
import { agentSection, reviewSection } from './agent-schema.ts';
import { sandboxSection } from './sandbox-schema.ts';

const week = 604_800;
const year = 31_536_000;

/** As git allows it, and safe in a command that a message proposes. */
function remoteName() {
  const allowed = must('the name of a remote');
  return z.string(allowed).regex(/^[A-Za-z0-9_][A-Za-z0-9._/-]*$/, allowed);
}

function globs() {
  return z.array(filled('a glob'), must('a list of globs'));
}

const guardSection = z.strictObject(
  {
    command: argv('["just", "ci"]')
      .default(['just', 'ci'])
      .describe('The check: program and arguments, no shell. Exit code 0 and nothing else means passed.'),
    timeout_secs: whole(1, week)
      .optional()
      .describe(
        'Seconds after which the check counts as failed; not set: only the iteration budget bounds it.',
      )
      .meta({ examples: [600] }),
    baseline: flag()
      .default(true)
      .describe('Whether `start` runs the check once, so that old failures are not blamed on the agent.'),
    empty_change: choice(['confirm', 'reject', 'allow'])
      .default('confirm')
      .describe(
        'What "done" without any change means: ask once for a confirmation, treat it as a retry, or let the check decide.',
      ),
    protect: globs()
      .optional()
      .describe(
        "Globs of the check's own files; not set: the file the command names, justfile and Makefile, and the scripts it runs of package.json.",
      )
      .meta({ examples: [['ci/**']] }),
    policy: choice(['ratchet', 'protect', 'open'])
      .default('ratchet')
      .describe(
        'What a change of a protected file means: the check must also be green with the old version, the file is put back, or it is only marked.',
      ),
    tests: globs()
      .optional()
      .describe(
        'Globs of test files, which the counterfactual leaves as they are; not set: usual names of tests.',
      )
      .meta({ examples: [['test/**']] }),
    checkout: choice(['auto', 'off', 'final', 'every'])
      .default('auto')
      .describe(
        'When the check also runs in a fresh clone: never, before the root passes, or for every pass. "auto" is "final" if the check works in a clone, else "off".',
      ),
    counterfactual: choice(['off', 'record', 'require'])
      .default('off')
      .describe(
        'Whether a pass is tried without the change, where the check must fail: no, noted, or required.',
      ),
    env: variableNames()
      .default([])
      .describe('Names of environment variables the check gets although they look like secrets.'),
  },
  must('a table'),
);

const automationSection = z.strictObject(
  {
    setup: z
      .array(filled('a command'), must('a list of commands'))
      .default([])
      .describe('Shell commands that make a fresh checkout ready for the check, for example "npm ci".'),
    setup_timeout_secs: whole(1, week).default(900).describe('Seconds each setup command may take.'),
    max_parallel: whole(1, 1000)
      .optional()
      .describe(
        'Background runs of a repository at work at once; further ones wait. Not set: one for each processor.',
      )
      .meta({ examples: [2] }),
  },
  must('a table'),
);

export const limitsSection = z.strictObject(
  {
    max_run_secs: whole(1, year)
      .optional()
      .describe('Seconds all iterations of a run may take together; not set: no limit.')
      .meta({ examples: [86_400] }),
    max_tokens: whole(1, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('Tokens all sessions of a run may use, as the agents report them; not set: no limit.')
      .meta({ examples: [10_000_000] }),
    max_cost_usd: amount(0, 1_000_000_000)
      .optional()
      .describe('US dollars all sessions of a run may cost, as the agents report them; not set: no limit.')
      .meta({ examples: [25] }),
  },
  must('a table'),
);

export const configSchema = z
  .strictObject(
    {
      max_iterations: whole(1, 1_000_000).default(50).describe('Iterations a run may use in total.'),
      max_attempts_default: whole(1, 1_000_000).default(3).describe('Attempts a new node gets.'),
      iteration_timeout_secs: whole(1, week)
        .default(1800)
        .describe('Seconds one iteration may take, agent and guard together.'),
      executor_output_limit_bytes: whole(1000, 1_000_000_000)
        .default(1_000_000)
        .describe("Bytes kept of the agent's log; head and tail stay."),
      guard_output_limit_bytes: whole(1000, 1_000_000_000)
        .default(1_000_000)
        .describe("Bytes kept of the guard's log; head and tail stay."),
      prompt_budget_bytes: whole(1000, 100_000_000)
        .default(40_000)
        .describe('Bytes a prompt may have; less important sections are shortened first.'),
      on_stuck: choice(['stop', 'defer', 'decompose'])
        .default('stop')
        .describe(
          'When a leaf has used up its attempts: stop the run, go on with the next leaf, or ask once to split it.',
        ),
      on_timeout: choice(['stop', 'continue'])
        .default('stop')
        .describe('When an iteration runs out of time: stop the loop, or go on.'),
      agent: agentSection.prefault({}).describe('The coding agent.'),
      limits: limitsSection.prefault({}).describe('Limits of the whole run.'),
      guard: guardSection.prefault({}).describe('The check that decides whether work passes.'),
      automation: automationSection.prefault({}).describe('What a fresh checkout needs.'),
      sandbox: sandboxSection
        .prefault({})
        .describe('Where runs work, and what keeps programs of a session apart.'),
      review: reviewSection.prefault({}).describe('A second opinion after a green check.'),
      tree: z
        .strictObject(
          {
            allow_removal: flag().default(false).describe('Whether the agent may remove open nodes.'),
            max_repairs: whole(0, 1000)
              .default(2)
              .describe('Sessions spent on repairing an invalid tree before it is dropped.'),
          },
          must('a table'),
        )
        .prefault({})
        .describe('The task tree.'),
      git: z
        .strictObject(
          {
            run_hooks: flag().default(false).describe("Whether your hooks run on the runner's commits."),
            sign: flag().default(false).describe("Whether the runner's commits are signed."),
            push: remoteName()
              .optional()
              .describe('Remote that gets the run branch after each iteration; not set: nothing is pushed.')
              .meta({ examples: ['origin'] }),
          },
          must('a table'),
        )
        .prefault({})
        .describe("The runner's commits."),
      notify: z
        .strictObject(
          {
            command: argv('["notify-send", "runner"]')
              .optional()
              .describe('Program that gets a JSON message on its standard input when a loop ends.')
              .meta({ examples: [['notify-send', 'runner']] }),
          },
          must('a table'),
        )
        .prefault({})
        .describe('Messages about the end of a loop.'),
    },
    must('a table'),
  )
  .meta({ $id: 'https://runner.local/schemas/config/v1.schema.json', title: 'Runner Configuration v1' });

/** The shipped `schemas/config/v1.schema.json`. */
export function configJsonSchema(): unknown {
  return z.toJSONSchema(configSchema, { io: 'input' });
}
