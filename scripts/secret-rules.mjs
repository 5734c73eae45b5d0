/**
 * Turns the rules of gitleaks (scripts/gitleaks/, MIT licence) into data for src/core/text/secret-shapes.ts: JavaScript expressions
 * without flags for case, with every repetition bounded, and the words that must be there before one of them is tried.
 */
import { parse } from 'smol-toml';

/** The longest run of one class that counts; longer ones are not tokens. */
const runMax = 4096;
const dotMax = 400;

/** Ids and public halves of keys: nobody has to hide them, and hiding ids makes logs useless. */
const publicRule = /-client-id$|-pub(?:lic)?-(?:api-)?key$|-access-id$/;
/** Rules that look over several lines: private keys have a reader of their own, and so have headers and `user:password`. */
const manyLines = new Set(['private-key', 'curl-auth-header', 'curl-auth-user']);

/** What gitleaks wants to follow a token: white space or a quote. In running text other signs follow, too. */
const tails = ['(?:[`\'" \\t\\r\\f;]|\\\\[nr]|$)', '(?:[`\'" \\t\\r\\f;]|\\\\[nNrR]|$)'];
const tailHere = '(?![\\w+/=-])';

/** Go's syntax, as far as the rules use it, to a tree. */
function parseGo(source) {
  let at = 0;
  const peek = (text) => source.startsWith(text, at);

  function alternation(flags) {
    const branches = [[]];
    let scope = flags;
    while (at < source.length && !peek(')')) {
      if (peek('|')) {
        at += 1;
        branches.push([]);
        continue;
      }
      const inline = /^\(\?([is-]+)\)/.exec(source.slice(at));
      if (inline !== null) {
        at += inline[0].length;
        scope = withFlags(scope, inline[1]);
        continue;
      }
      branches.at(-1).push(repeated(atom(scope)));
    }
    return { kind: 'any', branches };
  }

  function atom(flags) {
    if (peek('(')) return group(flags);
    if (peek('[')) return { kind: 'class', ...charClass(flags) };
    if (peek('\\')) {
      const [text] = /^\\(?:x[0-9a-fA-F]{2}|.)/s.exec(source.slice(at));
      at += text.length;
      return escape(text, flags);
    }
    const char = source[at];
    at += 1;
    if (char === '.') return { kind: 'dot' };
    if (char === '^' || char === '$') return { kind: 'edge', text: char };
    return { kind: 'char', char, flags };
  }

  function group(flags) {
    const [opening] = /^\((\?(?:P<\w+>|[is-]*:))?/.exec(source.slice(at));
    at += opening.length;
    const inner = /^\(\?([is-]*):/.exec(opening);
    const body = alternation(inner === null ? flags : withFlags(flags, inner[1]));
    if (!peek(')')) throw new Error(`an open group in ${source}`);
    at += 1;
    return { kind: 'group', isCaptured: opening === '(', body };
  }

  function escape(text, flags) {
    if (text === '\\z') return { kind: 'edge', text: '$' };
    if (text === '\\b' || text === '\\B') return { kind: 'edge', text };
    if (text === '\\s') return { kind: 'class', text: '[ \\t\\r\\f]', chars: null };
    if (/^\\[wdSWD]$/.test(text)) return { kind: 'class', text, chars: null };
    if (text.startsWith('\\x'))
      return { kind: 'char', char: String.fromCharCode(parseInt(text.slice(2), 16)), flags };
    return { kind: 'char', char: text[1], flags };
  }

  function charClass(flags) {
    let text = '[';
    let items = '';
    at += 1;
    if (peek('^')) {
      text += '^';
      at += 1;
    }
    for (let first = true; first || !peek(']'); first = false) {
      const range = /^((?:\\x[0-9a-fA-F]{2}|\\.|[^\\]))-((?:\\x[0-9a-fA-F]{2}|\\.|[^\]\\]))/s.exec(
        source.slice(at),
      );
      if (range !== null && !/^\\[wsdS]$/.test(range[1])) {
        at += range[0].length;
        items += renderRange(plainChar(range[1]), plainChar(range[2]), flags);
        continue;
      }
      const [one] = /^(?:\\x[0-9a-fA-F]{2}|\\.|[^\\])/s.exec(source.slice(at));
      at += one.length;
      if (one === '\\s') items += ' \\t\\r\\f';
      else if (/^\\[wdS]$/.test(one)) items += one;
      // A rule sees one line.
      else if (one !== '\\n' && one !== '\\r') items += renderRange(plainChar(one), plainChar(one), flags);
    }
    at += 1;
    return { text: `${text}${items}]`, chars: text === '[' ? items : null };
  }

  function repeated(node) {
    const found = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(source.slice(at));
    if (found === null) return node;
    at += found[0].length;
    const lazy = found[0].length > 1 && found[0].endsWith('?') ? '?' : '';
    const most = node.kind === 'dot' || node.kind === 'group' ? dotMax : runMax;
    const count = found[0].slice(0, found[0].length - lazy.length);
    const [min, max] =
      { '*': [0, most], '+': [1, most], '?': [0, 1] }[count] ??
      ((numbers) => [
        numbers[0],
        numbers.length === 1 ? numbers[0] : numbers[1] || Math.max(most, numbers[0]),
      ])(count.slice(1, -1).split(',').map(Number));
    return { kind: 'repeat', node, min, max, lazy };
  }

  const tree = alternation('');
  if (at !== source.length) throw new Error(`not read to its end: ${source}`);
  return tree;
}

function withFlags(flags, change) {
  const [on, off = ''] = change.split('-');
  return [...new Set([...flags, ...on])].filter((flag) => !off.includes(flag)).join('');
}

function plainChar(text) {
  if (text.startsWith('\\x')) return String.fromCharCode(parseInt(text.slice(2), 16));
  if (text.startsWith('\\')) return { n: '\n', r: '\r', t: '\t' }[text[1]] ?? text[1];
  return text;
}

function renderRange(from, to, flags) {
  const one = (a, b) => (a === b ? inClass(a) : `${inClass(a)}-${inClass(b)}`);
  const parts = [one(from, to)];
  if (flags.includes('i')) {
    if (/[a-z]/.test(from) && /[a-z]/.test(to)) parts.push(one(from.toUpperCase(), to.toUpperCase()));
    if (/[A-Z]/.test(from) && /[A-Z]/.test(to)) parts.push(one(from.toLowerCase(), to.toLowerCase()));
  }
  return parts.join('');
}

function inClass(char) {
  if (char === '\n') return '\\n';
  if (char === '\r') return '\\r';
  if (char === '\t') return '\\t';
  return /[\\\]^-]/.test(char) ? `\\${char}` : char;
}

function render(node) {
  switch (node.kind) {
    case 'any':
      return node.branches.map((branch) => branch.map(render).join('')).join('|');
    case 'group':
      return `(${node.isCaptured ? '' : '?:'}${render(node.body)})`;
    case 'repeat':
      return `${render(node.node)}${renderCount(node)}${node.lazy}`;
    case 'class':
    case 'edge':
      return node.text;
    case 'dot':
      return '.';
    default:
      return renderChar(node);
  }
}

function renderCount({ min, max }) {
  if (min === 0 && max === 1) return '?';
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

function renderChar({ char, flags }) {
  const other = char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase();
  if (flags.includes('i') && other !== char) return `[${char}${other}]`;
  if (char === '\n' || char === '\r' || char === '\t') return inClass(char);
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}

/** The texts, in lower case, one of which every match begins with; null: it may begin with anything. */
function beginnings(node) {
  const none = { words: [''], isOpen: false };
  switch (node.kind) {
    case 'any':
      return join(node.branches.map(sequenceBeginnings));
    case 'group':
      return beginnings(node.body);
    case 'char':
      return { words: [node.char.toLowerCase()], isOpen: true };
    case 'edge':
      return { words: [''], isOpen: true };
    case 'class': {
      const letters = node.chars === null ? [] : [...new Set(node.chars.toLowerCase())];
      return letters.length === 1 ? { words: letters, isOpen: true } : none;
    }
    case 'repeat': {
      if (node.min === 0) return none;
      return { ...beginnings(node.node), isOpen: false };
    }
    default:
      return none;
  }
}

function sequenceBeginnings(nodes) {
  let so = { words: [''], isOpen: true };
  for (const node of nodes) {
    const next = beginnings(node);
    if (so.words.length * next.words.length > 24) return { ...so, isOpen: false };
    so = { words: so.words.flatMap((word) => next.words.map((more) => word + more)), isOpen: next.isOpen };
    if (!so.isOpen || so.words.some((word) => word.length > 12)) return { ...so, isOpen: false };
  }
  return so;
}

function join(all) {
  return { words: all.flatMap(({ words }) => words), isOpen: all.every(({ isOpen }) => isOpen) };
}

function renderRule(tree) {
  return tails.reduce((text, tail) => text.replaceAll(tail, tailHere), render(tree));
}

/** What stands before the name in `adafruit_key = …` is not part of any secret. */
const leadIn = /^(?:\(\?i\))?\[\\w\.-\]\{0,50\}\?(?:\(\?i:\[\\w\.-\]\{0,50\}\?)?/;

function translateRule({ id, regex, entropy = 0, keywords, allowlists = [] }) {
  const lead = leadIn.exec(regex)?.[0] ?? '';
  const body = lead.includes('(?i:') ? closeEarly(regex.slice(lead.length)) : regex.slice(lead.length);
  const tree = parseGo(lead === '' ? body : `(?i)${body}`);
  const { words } = beginnings(tree);
  const isAtWord = words.every((word) => word.length >= 2);
  const expressions = allowlists
    .filter(({ paths }) => paths === undefined)
    .map(({ regexes = [], regexTarget = 'secret', stopwords }) => ({
      target: regexTarget,
      sources: regexes.map((each) => render(parseGo(each))),
      hasStopWords: stopwords !== undefined,
    }));
  return {
    id,
    words: [...new Set(isAtWord ? words : keywords)],
    isAtWord,
    source: renderRule(tree),
    entropy,
    allow: expressions.filter(({ target }) => target === 'secret').flatMap(({ sources }) => sources),
    allowMatch: expressions.filter(({ target }) => target === 'match').flatMap(({ sources }) => sources),
    allowLine: expressions.filter(({ target }) => target === 'line').flatMap(({ sources }) => sources),
    hasStopWords: expressions.some(({ hasStopWords }) => hasStopWords),
  };
}

/** `(?i:name …)(?:=|…` is `(?i)name …(?:=|…`: the rest has only classes of its own. */
function closeEarly(body) {
  let depth = 0;
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] === '\\') {
      at += 1;
    } else if (body[at] === '(') {
      depth += 1;
    } else if (body[at] === ')') {
      if (depth === 0) return `(?:${body.slice(0, at)})(?-i:${body.slice(at + 1)})`;
      depth -= 1;
    }
  }
  throw new Error(`an open group in ${body}`);
}

/** Everything secret-shapes.ts needs, and the ids of the rules that are left out. */
export function secretRules(toml) {
  const { rules, allowlist } = parse(toml);
  const isUsed = ({ id, path, regex }) =>
    path === undefined && regex !== undefined && !manyLines.has(id) && !publicRule.test(id);
  const stopWords = rules.flatMap(({ allowlists = [] }) =>
    allowlists.flatMap(({ stopwords = [] }) => stopwords),
  );
  return {
    secretRules: rules.filter(isUsed).map(translateRule),
    unusedSecretRules: rules.filter((rule) => !isUsed(rule)).map(({ id }) => id),
    allowedSecrets: allowlist.regexes.map((each) => render(parseGo(each))),
    stopWords: [...new Set([...stopWords, ...allowlist.stopwords])],
  };
}
