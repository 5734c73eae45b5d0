/**
 * The keys of a case file with their defaults, bounds and descriptions: the one source of the checks, of the shipped JSON Schema and of
 * what editors show. Rules that join several keys are in case.ts.
 */
import * as z from 'zod';

import { agentSection } from '../../core/config/agent-schema.ts';
import { configSchema } from '../../core/config/config-schema.ts';
import { checkTypes, patternFlags } from './check-rules.ts';
import { caseIdPattern } from './names.ts';
import { isInsidePath } from '../../core/text/inside-path.ts';
import { pathMeanings } from './types.ts';
import { argv, choice, filled, flag, must, whole } from '../../core/text/schema-fields.ts';

const week = 604_800;
const numberMax = 1_000_000;
const tagMax = 64;
// oxlint-disable-next-line no-control-regex
const notBlank = /^[^\u0000]*[^\s\u0000][^\u0000]*$/;

function matching(pattern: RegExp, allowed: string): z.ZodString {
  return z.string(must(allowed)).regex(pattern, must(allowed));
}

/** Of a file in the workspace. */
function inside(): z.ZodString {
  const allowed = must('a path inside the workspace');
  return filled('a path').refine(isInsidePath, allowed);
}

function texts(what: string): z.ZodRecord<z.ZodString, z.ZodString> {
  return z.record(z.string(), filled(what), must('a table of texts'));
}

const environment = texts('a value').describe('Environment variables by name.');

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, patternFlags) instanceof RegExp;
  } catch {
    return false;
  }
}

const commandLine = argv('["node", "--test"]').describe(
  'Program and arguments, no shell. It runs in the workspace.',
);
const commandEnv = environment
  .default({})
  .describe('Environment variables of this command, beyond those of the case.');

const command = {
  cmd: commandLine,
  timeout_secs: whole(1, week).default(60).describe('Seconds after which the check counts as failed.'),
  env: commandEnv,
};

const fileTexts = z.record(z.string(), z.string(must('the text of a file')), must('a table of texts'));

const setupSection = z.strictObject(
  {
    cmd: commandLine,
    timeout_secs: whole(1, week).default(600).describe('Seconds after which the setup counts as failed.'),
    env: commandEnv,
  },
  must('a table'),
);

const hiddenSection = z.strictObject(
  {
    fixture: filled('a folder').optional().describe('Folder, relative to this file, that is laid in.'),
    files: fileTexts.default({}).describe('Files: text by path. They override the fixture.'),
  },
  must('a table'),
);

const oracleSection = z
  .strictObject(
    {
      script: filled('a file')
        .optional()
        .describe('Script of the scripted agent that solves the case, relative to this file.'),
      command: argv('["bash", "/solution/solve.sh"]')
        .optional()
        .describe('Program and arguments that solve the case in one session, no shell.'),
      fixture: filled('a folder')
        .optional()
        .describe('Folder, relative to this file, that the command needs; it stays out of the workspace.'),
    },
    must('a table'),
  )
  .refine(({ script, command: own }) => (script === undefined) !== (own === undefined), {
    error: 'must have either script or command',
    when: () => true,
  })
  .refine(({ fixture, command: own }) => fixture === undefined || own !== undefined, {
    error: 'fixture goes with command',
    when: () => true,
  });

const checkItems = [
  z
    .strictObject({
      type: z.literal('file_exists'),
      path: inside().describe('File or folder of the workspace.'),
    })
    .describe('The path exists.'),
  z
    .strictObject({
      type: z.literal('file_contains'),
      path: inside().describe('File of the workspace.'),
      text: filled('a text').optional().describe('A text that must occur in it.'),
      pattern: filled('a regular expression')
        .refine(isPattern, must('a regular expression of JavaScript (flags m and u)'))
        .optional()
        .describe('A regular expression that must match in it (JavaScript, flags m and u).'),
    })
    .refine(({ text, pattern }) => (text === undefined) !== (pattern === undefined), {
      error: 'must have either text or pattern',
      // Also reported while other keys are wrong.
      when: () => true,
    })
    .describe('The file contains a text, or matches a regular expression.')
    .meta({ minProperties: 3, maxProperties: 3 }),
  z
    .strictObject({ type: z.literal('command_succeeds'), ...command })
    .describe('The command ends with exit code 0 in time.'),
  z
    .strictObject({ type: z.literal('command_fails'), ...command })
    .describe('The command ends with another exit code than 0 in time.'),
  z.strictObject({ type: z.literal('runner_completed') }).describe('The loop ended with exit code 0.'),
  z
    .strictObject({
      type: z.literal('max_iterations_used'),
      max: whole(1, numberMax).describe('Iterations the run may have used.'),
    })
    .describe('The run used no more iterations than that.'),
  z
    .strictObject({
      type: z.literal('tree'),
      passes: flag().optional().describe('Whether the root has passed.'),
      min_nodes: whole(1, numberMax).optional().describe('Minimum number of nodes.'),
      max_nodes: whole(1, numberMax).optional().describe('Maximum number of nodes.'),
      max_depth: whole(1, numberMax).optional().describe('Maximum number of levels; the root is the first.'),
    })
    .refine((check) => Object.keys(check).length > 1, {
      error: 'must have at least one of passes, min_nodes, max_nodes, max_depth',
    })
    .describe('What the final tree looks like.')
    .meta({ minProperties: 2 }),
] as const;

const checkShape = must('a table');
const checkChoice = choice(checkTypes);

/** `type` selects the kind of check, so only problems of that kind are reported. */
const checkSection = z.discriminatedUnion('type', checkItems, {
  error: (issue) => {
    const input: unknown = issue.input;
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return checkShape.error(issue);
    const told = checkChoice.safeParse(Object.getOwnPropertyDescriptor(input, 'type')?.value);
    return String(told.error?.issues[0]?.message);
  },
});

const caseSection = z.strictObject(
  {
    id: matching(
      caseIdPattern,
      'lower-case letters, digits, "-" and "_", at most 64, first a letter or digit',
    ).describe('Unique name of the case.'),
    goal: matching(notBlank, 'the goal (text that is not blank)').describe(
      'What the agent shall do; becomes GOAL.md.',
    ),
    description: filled('a text').optional().describe('Description for people.'),
    tags: z
      .array(
        matching(
          new RegExp(`^[A-Za-z0-9][A-Za-z0-9_.+-]{0,${tagMax - 1}}$`),
          'a word of letters, digits and "_.+-"',
        ),
        must('a list of words'),
      )
      .default([])
      .describe('Tags to select cases by.'),
    timeout_secs: whole(1, week)
      .default(3600)
      .describe('Seconds `runner start` and `runner loop` may take together.'),
    requires: z
      .array(filled('a program'), must('a list of programs'))
      .default([])
      .describe('Programs without which the case is skipped.'),
  },
  must('a table'),
);

// The sandbox is the machine's choice, not the case's.
const { agent: _agent, sandbox: _sandbox, ...settings } = configSchema.shape;

export const evalCaseSchema = z
  .strictObject(
    {
      fixture: filled('a folder')
        .optional()
        .describe('Folder, relative to this file, that is copied into the workspace.'),
      case: caseSection.describe('The case.'),
      history: filled('a file')
        .optional()
        .describe('Git bundle, relative to this file, whose HEAD is the history of the workspace.'),
      setup: z
        .array(setupSection, must('a list of tables: [[setup]]'))
        .default([])
        .describe('Commands that finish the workspace, before its first commit.'),
      config: z
        .strictObject(
          {
            ...settings,
            justfile: filled('the text of a justfile')
              .optional()
              .describe('Text of the justfile of the workspace.'),
          },
          must('a table'),
        )
        .prefault({})
        .describe('Settings of config.toml, without agent and sandbox.'),
      agent: agentSection.prefault({}).describe('The agent table of config.toml; flags override it.'),
      env: environment
        .default({})
        .describe('Environment variables of the runner, the agent, the guard and the checks.'),
      files: fileTexts
        .default({})
        .describe('Files of the workspace: text by path. They override the fixture.'),
      oracle: oracleSection.optional().describe('A solution, to prove that the case can be solved.'),
      hidden: hiddenSection
        .prefault({})
        .describe('Files for the checks. They are laid in when the agent is done, over what it left.'),
      paths: z
        .record(z.string(), choice(pathMeanings), must('a table of paths'))
        .default({})
        .describe('What paths of a container mean, in commands, hidden files and the oracle.'),
      checks: z
        .array(checkSection, must('a list of tables: [[checks]]'))
        .min(1, must('at least one [[checks]]'))
        .describe('What must hold in the end.'),
    },
    must('a table'),
  )
  .meta({ $id: 'https://runner.local/schemas/eval_case/v1.schema.json', title: 'Runner Eval Case v1' });

export type EvalCaseFile = z.output<typeof evalCaseSchema>;

/** The shipped `schemas/eval_case/v1.schema.json`. */
export function evalCaseJsonSchema(): unknown {
  return z.toJSONSchema(evalCaseSchema, { io: 'input' });
}
