/** The keys of `[agent]`, its tables for other models, and `[review]` (§9). As config-schema.ts, of which they are part. */
import * as z from 'zod';

import { argv, choice, filled, must, variableNames, whole } from '../text/schema-fields.ts';

const week = 604_800;

const reviewerNames = [
  'codex',
  'claude',
  'opencode',
  'gemini',
  'qwen',
  'copilot',
  'pi',
  'droid',
  'command',
] as const;
const agentName = choice([...reviewerNames, 'scripted']);
const permissions = choice(['workspace', 'full']);

function effort(means: string) {
  return filled('an effort')
    .optional()
    .describe(means)
    .meta({ examples: ['high'] });
}

function otherModel(whose: string) {
  return filled('a model name')
    .optional()
    .describe(`Model of ${whose}; not set: agent.model.`)
    .meta({ examples: ['example-model'] });
}

export const agentSection = z.strictObject(
  {
    name: agentName.default('codex').describe('Which coding agent runs the sessions.'),
    model: filled('a model name')
      .optional()
      .describe("Model passed to the agent; not set: the agent's own default.")
      .meta({ examples: ['example-model'] }),
    effort: effort("How hard the agent thinks, in its own words; not set: the agent's own default."),
    bin: filled('a program')
      .optional()
      .describe("Program to start instead of the agent's usual one (name on PATH, or a path).")
      .meta({ examples: ['/path/to/program'] }),
    extra_args: z
      .array(filled('an argument'), must('a list of texts'))
      .default([])
      .describe("Further arguments, added at the end of the agent's own."),
    env: variableNames()
      .default([])
      .describe('Names of environment variables the agent gets although they look like secrets.'),
    command: argv('["./my-agent", "--once"]')
      .optional()
      .describe('Program and arguments of the agent; only for name = "command".')
      .meta({ examples: [['./my-agent', '--once']] }),
    script: filled('a file')
      .optional()
      .describe('File with the recorded answers, relative to the project folder; only for name = "scripted".')
      .meta({ examples: ['answers.json'] }),
    permissions: permissions
      .optional()
      .describe(
        'What the agent may write: "workspace" (codex only, its default) or "full" (default of the others).',
      )
      .meta({ examples: ['full'] }),
    permission_mode: filled('a permission mode')
      .optional()
      .describe('Permission mode of claude; not set: it may do everything. Only for name = "claude".')
      .meta({ examples: ['acceptEdits'] }),
    idle_timeout_secs: whole(0, week)
      .optional()
      .describe(
        'Seconds of silence, with no tool call open, after which the session is ended. 0: off. Not set: off for command and scripted, 1200 for opencode, 600 for the others.',
      )
      .meta({ examples: [600] }),
    max_failures: whole(1, 1_000_000)
      .default(5)
      .describe('Sessions in a row that fail without an answer before the loop stops.'),
    max_wait_secs: whole(0, week)
      .default(21_600)
      .describe(
        'Seconds one iteration may wait for an agent that is rate limited, overloaded or offline. 0: never wait.',
      ),
    plan: z
      .strictObject(
        {
          model: otherModel('planning sessions'),
          effort: effort('Effort of planning sessions; not set: agent.effort.'),
        },
        must('a table'),
      )
      .prefault({})
      .describe('Planning sessions: the root\'s first, on_stuck = "decompose", and repairs of the tree.'),
    escalate: z
      .strictObject(
        {
          model: otherModel('a leaf that failed often'),
          effort: effort('Effort for a leaf that failed often; not set: agent.effort.'),
          after_attempts: whole(1, 1_000_000)
            .default(2)
            .describe('Attempts a leaf has used when these count.'),
        },
        must('a table'),
      )
      .prefault({})
      .describe('A leaf that failed often.'),
  },
  must('a table'),
);

export const reviewSection = z.strictObject(
  {
    agent: choice(reviewerNames)
      .optional()
      .describe('Agent that reviews work after a green check; not set: no review.')
      .meta({ examples: ['claude'] }),
    model: filled('a model name')
      .optional()
      .describe("Model of the reviewer; not set: that agent's own default.")
      .meta({ examples: ['example-model'] }),
    effort: effort("Effort of the reviewer; not set: that agent's own default."),
    bin: filled('a program')
      .optional()
      .describe('Program of the reviewer; not set: agent.bin if it is the same agent, else its usual one.')
      .meta({ examples: ['/path/to/program'] }),
    extra_args: z
      .array(filled('an argument'), must('a list of texts'))
      .optional()
      .describe('Further arguments of the reviewer; not set: agent.extra_args if it is the same agent.')
      .meta({ examples: [['--verbose']] }),
    env: variableNames()
      .optional()
      .describe('As agent.env, for the reviewer; not set: agent.env if it is the same agent.')
      .meta({ examples: [['NAME']] }),
  },
  must('a table'),
);
