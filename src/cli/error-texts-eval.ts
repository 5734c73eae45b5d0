/** What `runner explain <code>` says of the errors about cases and results of `runner eval`. */
import type { ErrorText } from './error-texts-files.ts';

export const evalErrorTexts = {
  EVAL_CASE_INVALID: {
    about: 'A case file does not follow its format. The other cases are not affected.',
    causes: [
      'a key or a kind of check is misspelt',
      'a path leads out of the workspace',
      'the fixture or the oracle script is not there, or the id is taken by another file',
    ],
    help: ['correct the file at the line that is named', 'runner eval list (checks all case files)'],
  },
  EVAL_CASE_UNKNOWN: {
    about: 'None of the case files has this id. The id stands in the file; its name does not count.',
    causes: ['the id is misspelt', 'the cases are in another folder than eval/cases'],
    help: ['runner eval list', 'name the folder: --cases <dir>'],
  },
  EVAL_CASE_CHANGED: {
    about:
      'The batch was begun with another text of this case. Trials of two texts in one batch would mean nothing.',
    causes: [
      'the case file, its fixture or its oracle was edited since the batch began',
      'the case was removed, or the cases are in another folder than then',
    ],
    help: [
      'put the case back as it was, then: runner eval run --resume',
      'begin another batch: runner eval run',
    ],
  },
  EVAL_RATE_MISSED: {
    about:
      'All trials ran and are recorded, but too few of them succeeded. An error counts as no success; a skipped trial does not count.',
    causes: [
      'the agent, the model or the prompt does worse than expected',
      'trials ended with an error: a limit, a program that is missing, a time-out',
    ],
    help: ['runner eval report latest', 'runner eval compare <batch> latest (is it more than noise?)'],
  },
  EVAL_BATCH_UNKNOWN: {
    about: 'There are no results of this name below eval/results of this folder.',
    causes: [
      'the name is misspelt',
      'nothing was run here yet, or its results were removed',
      'results of other machines were not merged yet',
    ],
    help: ['runner eval report latest', 'runner eval merge <dir> (results of other machines)'],
  },
  EVAL_BATCH_CONFLICT: {
    about:
      'Results that shall become one batch were made by different plans, or stand where others are already.',
    causes: [
      'cases, agents, models or repeats differ between the machines',
      'the results were merged under another name before',
    ],
    help: [
      'run all shards from the same commit, with the same flags',
      'merge without --batch, so that each batch keeps its own name',
    ],
  },
} as const satisfies Readonly<Record<string, ErrorText>>;
