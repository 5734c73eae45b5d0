/** Types of secret-rules.js, which `node scripts/generate.mjs` writes from the rules of gitleaks in scripts/gitleaks/. */

export interface SecretRule {
  readonly id: string;
  /** In lower case; one of them is in every match. */
  readonly words: readonly string[];
  /** A match begins with one of the words; else it is somewhere in the line that has one. */
  readonly isAtWord: boolean;
  /** An expression for the flag `m`; the first group with text is the secret, without groups the whole match. */
  readonly source: string;
  /** Bits for each character that a secret has more of; less is a word or a placeholder. */
  readonly entropy: number;
  /** No secret if one of them matches the secret, the match with the name before it, or the line. */
  readonly allow: readonly string[];
  readonly allowMatch: readonly string[];
  readonly allowLine: readonly string[];
  /** No secret if one of `stopWords` is in it. */
  readonly hasStopWords: boolean;
}

export const secretRules: readonly SecretRule[];
/** Rules for certain files, for several lines, and for what nobody has to hide. */
export const unusedSecretRules: readonly string[];
/** Never a secret, whatever the rule. */
export const allowedSecrets: readonly string[];
export const stopWords: readonly string[];
