/** Secrets of every kind the rules know, made from the rules themselves, and the forms in which they reach a log. */
import fc from 'fast-check';
import { secretRules, stopWords } from '../../src/core/secret-rules.js';
import type { SecretRule } from '../../src/core/secret-rules.js';

export interface Planted {
  readonly kind: string;
  /** What the rule matches, name and all. */
  readonly match: string;
  /** What must not be left of it. */
  readonly secret: string;
}

export const secretForms: Readonly<Record<string, (text: string, secret: string) => string>> = {
  plain: (text) => `log: ${text} `,
  JSON: (text) => JSON.stringify({ output: `line one\n${text}\n"done"` }),
  'JSON in JSON': (text) => JSON.stringify({ a: JSON.stringify({ b: `\n${text}\t` }) }),
  colour: (text, secret) => {
    const at = text.indexOf(secret) + Math.floor(secret.length / 2);
    return `\u001b[31m${text.slice(0, at)}\u001b[1m${text.slice(at)}\u001b[0m`;
  },
  URL: (text) => `GET /search?q=${encodeURIComponent(` ${text} `)}&page=2`,
};

/** A few of each kind; those that the rule itself would take for words or placeholders are drawn again. */
export function plantedSecrets(each: number, seed = 1): readonly Planted[] {
  return secretRules.flatMap((rule) => {
    const source = drawable(rule.source);
    const drawn = fc.sample(fc.stringMatching(new RegExp(`^(?:${source})$`)), {
      numRuns: each * 4 + 4,
      seed,
    });
    const found = drawn.flatMap((match) => plant(rule, match));
    return found.slice(0, each);
  });
}

/** Without what has no width, and with short runs. */
function drawable(source: string): string {
  return source
    .replaceAll(/\\[bB]|\(\?![^)]*\)/g, '')
    .replaceAll(/\{(\d+),(\d{3,})\}/g, (_all, min: string) => `{${min},${Number(min) + 8}}`);
}

function plant(rule: SecretRule, drawn: string): readonly Planted[] {
  const match = drawn.trim();
  const found = new RegExp(rule.source, 'm').exec(match);
  const secret = found?.slice(1).find((group) => (group ?? '') !== '') ?? found?.[0] ?? '';
  const isWord = rule.hasStopWords && stopWords.some((word) => secret.toLowerCase().includes(word));
  if (secret.length < 8 || isWord || bitsOf(secret) <= rule.entropy) return [];
  if (rule.allow.some((source) => new RegExp(source).test(secret))) return [];

  const hasWord = rule.words.some((word) => match.toLowerCase().includes(word));
  return [{ kind: rule.id, match: hasWord ? match : `${rule.words[0] ?? ''} ${match}`, secret }];
}

function bitsOf(text: string): number {
  const chars = Array.from(text);
  return [...new Set(chars)]
    .map((char) => chars.filter((other) => other === char).length / chars.length)
    .reduce((sum, part) => sum - part * Math.log2(part), 0);
}
