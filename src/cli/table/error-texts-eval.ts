/** What `runner explain <code>` says of the errors about cases and results of `runner eval`. */
import type { ErrorText } from './error-texts-files.ts';

export const evalErrorTexts = {
  EVAL_CASE_INVALID: {
    about: 'A case file does not follow its format. The other cases are not affected.',
    causes: [
      'a key or a kind of check is misspelt',
      'a path is outside the workspace',
      'the fixture or the oracle script does not exist, or another file has the same id',
    ],
    help: ['correct the file at the given line', 'runner eval list (checks all case files)'],
  },
  EVAL_CASE_UNKNOWN: {
    about: 'No case file has this id. The id is in the file; the file name does not matter.',
    causes: ['the id is misspelt', 'the cases are in another folder than eval/cases'],
    help: ['runner eval list', 'name the folder: --cases <dir>'],
  },
  EVAL_CASE_CHANGED: {
    about: 'The case changed after the batch started. Trials of two versions cannot be compared.',
    causes: [
      'the case file, its fixture or its oracle was edited',
      'the case was removed, or --cases names another folder',
    ],
    help: ['restore the case, then: runner eval run --resume', 'start a new batch: runner eval run'],
  },
  EVAL_RATE_MISSED: {
    about:
      'All trials ran and are recorded, but too few succeeded. An error is not a success; skipped trials do not count.',
    causes: [
      'the agent, the model or the prompt does worse than expected',
      'trials ended with an error: a limit, a program that is missing, a time-out',
    ],
    help: ['runner eval report latest', 'runner eval compare <batch> latest (is it more than noise?)'],
  },
  EVAL_BATCH_UNKNOWN: {
    about: 'eval/results has no batch of this name.',
    causes: [
      'the name is misspelt',
      'nothing was run here, or the results were removed',
      'results of other machines were not merged',
    ],
    help: ['runner eval report latest', 'runner eval merge <dir> (results of other machines)'],
  },
  EVAL_BATCH_CONFLICT: {
    about: 'The results come from different plans, or a result of the same name already exists.',
    causes: [
      'cases, agents, models or repeats differ between the machines',
      'the results were already merged under another name',
    ],
    help: [
      'run all shards from the same commit, with the same flags',
      'merge without --batch, so that each batch keeps its own name',
    ],
  },
} as const satisfies Readonly<Record<string, ErrorText>>;
