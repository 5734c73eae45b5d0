/** What each error means at length, for `runner explain <code>`. A code without a text does not compile. */
import type { ErrorCode } from '../../core/errors.ts';
import { evalErrorTexts } from './error-texts-eval.ts';
import { fileErrorTexts } from './error-texts-files.ts';
import type { ErrorText } from './error-texts-files.ts';
import { gitErrorTexts } from './error-texts-git.ts';
import { runErrorTexts } from './error-texts-run.ts';

export const errorTexts: Readonly<Record<ErrorCode, ErrorText>> = {
  ...fileErrorTexts,
  ...gitErrorTexts,
  ...runErrorTexts,
  ...evalErrorTexts,
};
