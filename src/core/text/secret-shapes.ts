/**
 * What looks like a secret, by the rules of gitleaks (secret-rules.js) and a few of our own for what it leaves out: tokens of
 * agents, whatever their length, headers, passwords in addresses, and variables. It decides about one place in a text.
 */
import { allowedSecrets, secretRules, stopWords } from '../secret-rules.js';
import type { SecretRule } from '../secret-rules.js';

export interface Part {
  readonly start: number;
  readonly end: number;
}

/** Looks for secrets of one rule; `start` is where one of its words begins. */
export type Shape = (text: string, start: number) => readonly Part[];

function own(rule: Pick<SecretRule, 'id' | 'words' | 'source'>): SecretRule {
  return {
    isAtWord: true,
    entropy: 0,
    allow: [],
    allowMatch: [],
    allowLine: [],
    hasStopWords: false,
    ...rule,
  };
}

/** A digit and a letter: words joined by dashes are no token. */
const mixed = '(?=[A-Za-z_-]{0,60}\\d)(?=[\\d_-]{0,60}[A-Za-z])';
/** A reference, an address, a number or a literal is no value worth hiding. */
const noValue =
  '(?![$<[{(*~.]|https?:|process\\.|os\\.|env\\.|/|\\d+(?![\\w.-])|(?:true|false|null|undefined|none)\\b)';

const ownRules: readonly SecretRule[] = [
  own({
    id: 'agent-token',
    words: ['sk-', 'fk-', 'xai-', 'gsk_', 'hf_', 'ya29.', 'npm_', 'glpat-', 'github_pat_'],
    source: `(?<![A-Za-z0-9])(?:[sf]k-|xai-|gsk_|hf_|ya29\\.|npm_|glpat-|github_pat_)${mixed}[A-Za-z0-9_-]{20,400}`,
  }),
  own({
    id: 'github-token',
    words: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    source: `gh[pousr]_${mixed}[A-Za-z0-9_.-]{20,1000}`,
  }),
  own({ id: 'slack-token', words: ['xox'], source: `xox[abeoprs]-${mixed}[A-Za-z0-9-]{10,300}` }),
  own({
    id: 'header',
    words: ['authorization'],
    source:
      '[Aa]uthorization["\']?[ \\t]{0,4}[:=][ \\t]{0,4}["\']?(?:[A-Za-z]{3,20}[ \\t]{1,4})?([A-Za-z0-9._~+/=-]{8,4096})',
  }),
  own({
    id: 'bearer',
    words: ['bearer'],
    source: `\\b[Bb]earer[ \\t]{1,4}(${mixed}[A-Za-z0-9._~+/=-]{20,4096})`,
  }),
  own({
    id: 'address',
    words: ['://'],
    source: '://[^\\s:/?#@"\'<>\\\\]{0,200}:([^\\s/?#@"\'<>\\\\]{1,500})@',
  }),
  own({
    id: 'curl-user',
    words: ['curl'],
    source:
      '\\bcurl[ \\t](?:[^\\s"\']{1,200}[ \\t]){0,6}(?:-u|--user)[ \\t=]["\']?[^\\s:"\'\\\\]{1,64}:([^\\s"\'\\\\]{3,128})',
  }),
  own({
    id: 'variable',
    words: ['api_key', 'apikey', 'access_key', 'private_key', 'secret', 'token', 'password', 'passwd'],
    source: `(?:API_?KEY|ACCESS_KEY|PRIVATE_KEY|SECRET|TOKEN|PASSWORD|PASSWD)(?:_[A-Z0-9_]{1,40})?["']?[ \\t]{0,4}[:=][ \\t]{0,4}["']?(${noValue}[^\\s"',;\\\\)\\]}]{8,400})`,
  }),
];

type Rules = readonly { readonly word: string; readonly shapes: readonly Shape[] }[];

let allRules: Rules | null = null;

/** All rules, by the words that lead to them. The expressions are compiled when one is first needed, once for all redactors. */
export function secretShapes(): Rules {
  allRules ??= rulesByWord();
  return allRules;
}

function rulesByWord(): Rules {
  const byWord = new Map<string, Shape[]>();
  for (const rule of [...secretRules, ...ownRules]) {
    const shape = shapeOf(rule);
    for (const word of rule.words) byWord.set(word, [...(byWord.get(word) ?? []), shape]);
  }
  return [...byWord].map(([word, shapes]) => ({ word, shapes }));
}

function shapeOf(rule: SecretRule): Shape {
  return rule.isAtWord ? wordShape(rule) : lineShape(rule);
}

const none: readonly Part[] = [];

function wordShape(rule: SecretRule): Shape {
  let expression: RegExp | null = null;
  const needsEdge = rule.source.startsWith('\\b') && !rule.source.includes('|\\b');
  return (text, start) => {
    // Most of the short words are the end of a longer one.
    if (needsEdge && isWordChar(text.charCodeAt(start - 1))) return none;

    expression ??= new RegExp(rule.source, 'my');
    expression.lastIndex = start;
    const match = expression.exec(text);
    return match === null ? none : partOf(rule, { match, text });
  };
}

function lineShape(rule: SecretRule): Shape {
  let expression: RegExp | null = null;
  let seen = { text: '', first: 0, end: 0 };
  return (text, start) => {
    // Once for each line, however often the word is in it; the same text may come again.
    if (seen.text === text && start > seen.first && start < seen.end) return none;

    expression ??= new RegExp(rule.source, 'mg');
    const line = lineAround(text, start);
    seen = { text, first: start, end: line.end };
    const parts: Part[] = [];
    for (const match of text.slice(line.start, line.end).matchAll(expression)) {
      for (const part of partOf(rule, { match, text: match.input }))
        parts.push({ start: part.start + line.start, end: part.end + line.start });
    }
    return parts;
  };
}

interface Found {
  readonly match: RegExpExecArray;
  readonly text: string;
}

function partOf(rule: SecretRule, { match, text }: Found): readonly Part[] {
  const secret = secretOf(match);
  if (isAllowed(rule, { secret, match: match[0], text, start: match.index })) return none;

  const start = match.index + match[0].lastIndexOf(secret);
  return [{ start, end: start + secret.length }];
}

/** The first group with text; without groups, all of it. */
function secretOf(match: RegExpExecArray): string {
  for (let group = 1; group < match.length; group += 1) {
    const text = match[group];
    if (text !== undefined && text !== '') return text;
  }
  return match[0];
}

function isWordChar(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95
  );
}

function lineAround(text: string, at: number): Part {
  const end = text.indexOf('\n', at);
  return { start: text.lastIndexOf('\n', at) + 1, end: end === -1 ? text.length : end };
}

interface Candidate {
  readonly secret: string;
  readonly match: string;
  readonly text: string;
  readonly start: number;
}

/** A name that says that it is none, a placeholder, a word: as gitleaks decides it. */
function isAllowed(rule: SecretRule, { secret, match, text, start }: Candidate): boolean {
  if (rule.entropy > 0 && entropyOf(secret) <= rule.entropy) return true;
  if (anyMatches(rule.allow, secret) || anyMatches(allowedSecrets, secret)) return true;

  if (rule.hasStopWords && isHash(text, { start, match, secret })) return true;
  if (rule.allowMatch.length > 0 && anyMatches(rule.allowMatch, `${nameBefore(text, start)}${match}`))
    return true;

  if (rule.allowLine.length > 0) {
    const line = lineAround(text, start);
    if (anyMatches(rule.allowLine, text.slice(line.start, line.end))) return true;
  }
  const lower = secret.toLowerCase();
  return rule.hasStopWords && stopWords.some((word) => lower.includes(word));
}

/** Names that mean a secret, whatever the value looks like. */
const surely = /secret|token|passw|cred|(?:api|access|auth)[_.-]?key/i;
/** Also behind words, as in `v2-deps-…`. */
const hash =
  /^(?:[a-z0-9_.]{1,30}-){0,6}(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** `key` is also the name of entries in caches and lock files, which are hashes and ids. */
function isHash(text: string, { start, match, secret }: Omit<Candidate, 'text'>): boolean {
  const before = `${nameBefore(text, start)}${match.slice(0, match.lastIndexOf(secret))}`;
  return before.endsWith(' h1:') || (hash.test(secret) && !surely.test(before));
}

const compiled = new Map<string, RegExp>();

function anyMatches(sources: readonly string[], text: string): boolean {
  return sources.some((source) => {
    const expression = compiled.get(source) ?? new RegExp(source);
    compiled.set(source, expression);
    return expression.test(text);
  });
}

const nameLengthMax = 50;

/** `public_` of `public_key = …`. */
function nameBefore(text: string, end: number): string {
  return text.slice(Math.max(0, end - nameLengthMax), end).replace(/^.*[^\w.-]/s, '');
}

const counts = new Uint32Array(256);

/** Shannon's, in bits for each character. */
function entropyOf(text: string): number {
  counts.fill(0);
  for (let at = 0; at < text.length; at += 1) {
    const index = text.charCodeAt(at) & 255;
    counts[index] = (counts[index] as number) + 1;
  }
  let bits = 0;
  for (const count of counts) if (count > 0) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
