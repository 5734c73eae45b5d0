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
