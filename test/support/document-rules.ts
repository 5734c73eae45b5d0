/**
 * What the documents must agree on with the code, as rules: each says what disagrees, and carries disagreements that are
 * planted to prove that it still sees. Reads no files; it is given the texts.
 */
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse as parseToml } from 'smol-toml';
import { parseDocument } from 'yaml';
import { commandGroups } from '../../src/cli/table/command-table.ts';
import { parseAgentOutput } from '../../src/core/agents/agent-output.ts';
import { parseConfig } from '../../src/core/config/config.ts';
import { configKeys } from '../../src/core/settings.js';
import { parseEvalCase } from '../../src/eval/cases/case.ts';
import { parseJournal } from '../../src/core/iteration/journal.ts';
import { renderJournal } from '../../src/core/iteration/journal-text.ts';
import { parseLastRecord, renderLastFile } from '../../src/core/iteration/last-file.ts';
import { renderRunState } from '../../src/core/iteration/run-state.ts';
import { parseRunState } from '../../src/core/iteration/run-state-schema.ts';
import { parseReview } from '../../src/core/iteration/review.ts';
import { parseScript } from '../../src/core/agents/script.ts';
import { renderTree } from '../../src/core/tree/canonical-json.ts';
import { parseTree } from '../../src/core/tree/tree-schema.ts';
import { ancestorTests, listAncestorNames } from './ancestor-tests.ts';
import {
  agentSpecs,
  argvOf,
  checkCommandLine,
  configRows,
  environmentRows,
  failureRows,
  limitRows,
  linesOf,
  outcomeRows,
  sampleCommitMessage,
  toolFileRows,
  isolationRows,
  hiddenRows,
  toolchainRows,
  cacheRows,
  escapeRows,
  trailerNames,
} from './document-facts.ts';
import type { CodeBlock, Texts } from './documents.ts';
import { checkEvalDocument } from './eval-document.ts';
import { findTable, listAnchors, listCodeBlocks, listInlineCode, withoutCodeBlocks } from './documents.ts';

export interface DocumentRule {
  readonly name: string;
  /** Contract: one line for each disagreement, naming the file. */
  readonly check: (texts: Texts) => readonly string[];
  /** In this file this text becomes that one, and the rule must complain. */
  readonly planted: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

export function isDocument(file: string): boolean {
  return /^(?:docs\/)?[A-Za-z-]+\.md$/.test(file);
}

function documentsOf(texts: Texts): readonly (readonly [file: string, text: string])[] {
  return [...texts].filter(([file]) => isDocument(file));
}

/** This file holds planted mistakes of its own. */
function sourcesOf(texts: Texts): readonly (readonly [file: string, text: string])[] {
  return [...texts].filter(
    ([file]) => /^(?:src|test)\/.*\.ts$/.test(file) && file !== 'test/support/document-rules.ts',
  );
}

function textOf(texts: Texts, file: string): string {
  return texts.get(file) ?? '';
}

interface PlacedBlock extends CodeBlock {
  readonly file: string;
}

function blocksOf(texts: Texts, ...languages: readonly string[]): PlacedBlock[] {
  return documentsOf(texts).flatMap(([file, text]) =>
    listCodeBlocks(text)
      .filter(({ language }) => languages.includes(language))
      .map((block) => ({ ...block, file })),
  );
}

function say(block: PlacedBlock, problem: string): string {
  return `${block.file}:${block.line}: ${problem}`;
}

/** Both as lists of texts; what only one side has is told. */
function compare(what: string, shown: readonly string[], wanted: readonly string[]): string[] {
  if (shown.join('\n') === wanted.join('\n')) return [];
  const lost = wanted.filter((item) => !shown.includes(item)).map((item) => `${what}: lacks ${item}`);
  const extra = shown.filter((item) => !wanted.includes(item)).map((item) => `${what}: has ${item}`);
  return lost.length + extra.length > 0 ? [...lost, ...extra] : [`${what}: another order than in the code`];
}

export interface TableRule {
  readonly file: string;
  readonly header: readonly string[];
  /** The column that names a row. */
  readonly key: number;
  /** Which columns are compared, in the order of the wanted rows. */
  readonly columns: readonly number[];
  readonly rows: () => readonly (readonly string[])[];
}

export const generatedTables: readonly TableRule[] = [
  {
    file: 'docs/config.md',
    header: ['Key', 'Default', 'Allowed', 'Variable', 'Meaning'],
    key: 0,
    columns: [0, 1, 2, 3],
    rows: configRows,
  },
  {
    file: 'docs/formats.md',
    header: ['Limit', 'Value', 'Name in the code'],
    key: 2,
    columns: [1, 2],
    rows: limitRows,
  },
  {
    file: 'docs/executors.md',
    header: ['Failure', 'Rule', 'Meaning', 'What helps'],
    key: 0,
    columns: [0, 1, 2, 3],
    rows: failureRows,
  },
  {
    file: 'docs/executors.md',
    header: ['Left out', 'Why', 'Names'],
    key: 0,
    columns: [0, 1, 2],
    rows: environmentRows,
  },
  {
    file: 'docs/formats.md',
    header: ['Outcome', 'Recorded when'],
    key: 0,
    columns: [0],
    rows: outcomeRows,
  },
  {
    file: 'docs/formats.md',
    header: ['Executed by', 'Files'],
    key: 0,
    columns: [0, 1],
    rows: toolFileRows,
  },
  ...[
    { header: ['Option', 'What for'], rows: isolationRows },
    { header: ['Empty inside', 'Which'], rows: hiddenRows },
    { header: ['Toolchain', 'Folders below the home folder'], rows: toolchainRows },
    { header: ['Variable', 'Set to'], rows: cacheRows },
    { header: ['Row', 'Tries to'], rows: escapeRows },
  ].map((table) => ({ file: 'docs/sandbox.md', key: 0, columns: [0, 1], ...table })),
];

function checkTable(texts: Texts, rule: TableRule): string[] {
  const what = `${rule.file}, table ${rule.header.join(' / ')}`;
  const table = findTable(textOf(texts, rule.file), rule.header);
  if (table === null) return [`${what}: is missing`];
  const shown = table.rows.map((row) => rule.columns.map((column) => row[column] ?? '').join(' | '));
  const empty = table.rows
    .filter((row) => row.some((cell, column) => cell === '' && !rule.columns.includes(column)))
    .map(([first]) => `${what}: ${first ?? ''} has an empty cell`);
  return [
    ...compare(
      what,
      shown,
      rule.rows().map((row) => row.join(' | ')),
    ),
    ...empty,
  ];
}

function checkOutput(texts: Texts): string[] {
  return blocksOf(texts, 'text').flatMap((block) => {
    const mark = block.marks.get('output');
    return mark === undefined
      ? []
      : compare(`${block.file}, output of ${mark}`, block.body.split('\n'), linesOf(mark) ?? []);
  });
}

/** The value as the code would write it, or null when it refuses the text. */
const writers: Readonly<Record<string, (text: string) => string | null>> = {
  task_tree: (text) => {
    const parsed = parseTree({ kind: 'text', text });
    return parsed.ok ? renderTree(parsed.tree) : null;
  },
  run_state: (text) => {
    const parsed = parseRunState(text);
    return parsed.ok ? renderRunState(parsed.state) : null;
  },
  last: (text) => {
    const parsed = parseLastRecord(text);
    return parsed === null ? null : renderLastFile(parsed);
  },
  journal: (text) => {
    // One line on disk, many in the document.
    const parsed = parseJournal(`${JSON.stringify(JSON.parse(text))}\n`);
    return parsed?.ok === true ? renderJournal(parsed) : null;
  },
  agent_output: (text) => (parseAgentOutput({ kind: 'text', text }).ok ? text : null),
  script: (text) => (parseScript({ kind: 'text', text }).ok ? text : null),
  meta: (text) => text,
  events: (text) => text,
  review: (text) => (parseReview({ kind: 'text', text }).ok ? text : null),
};

function checkJson(texts: Texts): string[] {
  const blocks = blocksOf(texts, 'json');
  const names = blocks.map(({ marks }) => marks.get('schema') ?? '');
  const missing = Object.keys(writers).filter((name) => !names.includes(name));
  return [
    ...missing.map((name) => `no document shows an example of ${name}`),
    ...blocks.flatMap((block) => checkJsonBlock(texts, block).map((problem) => say(block, problem))),
  ];
}

function checkJsonBlock(texts: Texts, { marks, body }: PlacedBlock): string[] {
  const output = marks.get('output');
  const name = marks.get('schema') ?? '';
  const write = output === undefined ? writers[name] : (text: string) => text;
  if (write === undefined) return [`needs a mark schema=… or output=…, not "${name}"`];
  const schemaText = texts.get(
    output === undefined ? `schemas/${name}/v1.schema.json` : `schemas/output/v1/${output}.schema.json`,
  );
  const ajv = new Ajv2020({ allErrors: true });
  const schema = schemaText === undefined ? {} : (JSON.parse(schemaText) as { required?: string[] });
  if (!ajv.validate(schema, JSON.parse(body))) return [ajv.errorsText()];
  const written = write(body);
  if (written === null) return ['is refused by the code'];
  const isOrdered =
    name !== 'meta' || Object.keys(JSON.parse(body) as object).join() === schema.required?.join();
  const isSame = JSON.stringify(JSON.parse(body)) === JSON.stringify(JSON.parse(written));
  return isSame && isOrdered ? [] : ['has its keys in another order than the file'];
}

function checkSettings(texts: Texts): string[] {
  const toml = blocksOf(texts, 'toml').flatMap((block) => {
    try {
      const parse = block.marks.has('case') ? parseEvalCase : parseConfig;
      const parsed = parse(parseToml(block.body));
      return parsed.ok ? [] : parsed.problems.map(({ key, message }) => say(block, `${key}: ${message}`));
    } catch (error) {
      return [say(block, String(error))];
    }
  });
  const yaml = blocksOf(texts, 'yaml').flatMap((block) =>
    parseDocument(block.body).errors.map(({ message }) => say(block, message)),
  );
  return [...toml, ...yaml];
}

const pathPattern = /(?<![\w./<>-])(?:bin|docs|schemas|scripts|src|test|\.ci)\/[\w./-]*\w/g;

function checkLinks(texts: Texts): string[] {
  return documentsOf(texts).flatMap(([file, text]) => {
    const links = [...withoutCodeBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
    const inner = links.filter((link) => !/^https?:/.test(link));
    const broken = inner.filter((link) => {
      const [target = '', anchor] = link.split('#');
      const found = target === '' ? file : path.posix.join(path.posix.dirname(file), target);
      return (
        !texts.has(found) || (anchor !== undefined && !listAnchors(textOf(texts, found)).includes(anchor))
      );
    });
    const named = listInlineCode(text)
      .filter((code) => !/[<>*]/.test(code))
      .flatMap((code) => [...code.matchAll(pathPattern)].map((match) => match[0]));
    const gone = named.filter(
      (name) => !texts.has(name) && ![...texts.keys()].some((other) => other.startsWith(`${name}/`)),
    );
    return [
      ...broken.map((link) => `${file}: the link ${link} leads nowhere`),
      ...gone.map((name) => `${file}: names ${name}, which is not there`),
    ];
  });
}

/** `runner …` calls in a line of a shell or a console. */
function listCalls(line: string): string[] {
  return line
    .split(/&&|\|\||[;|]/)
    .map((part) => part.trim().replace(/^exec /, ''))
    .filter((part) => part === 'runner' || part.startsWith('runner '));
}

/** `runner config`: all commands below it together. Nobody can type it, and everybody can speak of it. */
function isGroup(call: string): boolean {
  return Object.keys(commandGroups).some((name) => call === `runner ${name}`);
}

function checkCalls(texts: Texts): string[] {
  return documentsOf(texts).flatMap(([file, text]) => {
    const lines = listCodeBlocks(text).flatMap(({ language, body }) => {
      if (language === 'console') return body.split('\n').flatMap((line) => /^\$ (.*)/.exec(line)?.[1] ?? []);
      if (language === 'sh') return body.split('\n');
      return language === 'yaml'
        ? [...body.matchAll(/(?:run|entry): (.*)/g)].map((match) => match[1] ?? '')
        : [];
    });
    const calls = [
      ...lines.flatMap(listCalls),
      ...listInlineCode(text).filter((code) => code.startsWith('runner ') && !isGroup(code)),
    ];
    return calls.flatMap((call) => {
      const problem = checkCommandLine(call.split(/\s+/).slice(1));
      return problem === null ? [] : [`${file}: \`${call}\`: ${problem}`];
    });
  });
}

function checkScripts(texts: Texts): string[] {
  const { name, version, scripts } = JSON.parse(textOf(texts, 'package.json')) as {
    readonly name: string;
    readonly version: string;
    readonly scripts: Readonly<Record<string, string>>;
  };
  const tarball = `npm install -D ./${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
  const required = ['npm ci && npm run demo', 'npm test', tarball];
  const readme = textOf(texts, 'README.md');
  const changelog = textOf(texts, 'CHANGELOG.md');
  return [
    ...required.filter((words) => !readme.includes(words)).map((words) => `README.md lacks: ${words}`),
    ...(scripts['test'] === undefined ? ['package.json: no script test'] : []),
    ...(changelog.split('\n').includes(`## ${version}`) ? [] : [`CHANGELOG.md: no heading ## ${version}`]),
    ...documentsOf(texts).flatMap(([file, text]) =>
      [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)]
        .map((match) => match[1] ?? '')
        .filter((script) => scripts[script] === undefined)
        .map((script) => `${file}: npm run ${script} does not exist`),
    ),
  ];
}

function checkTrailers(texts: Texts): string[] {
  const table = findTable(textOf(texts, 'docs/formats.md'), ['Trailer', 'When', 'Value']);
  const listed = (table?.rows ?? []).flatMap(([names = '']) => names.match(/Runner-[\w-]+/g) ?? []);
  return compare('docs/formats.md, trailers', listed.toSorted(), trailerNames().toSorted());
}

/** Every § of a comment leads somewhere: sections by number, items of a numbered list or numbered headings behind the dot. */
function checkCitations(texts: Texts): string[] {
  const contract = textOf(texts, 'docs/contract.md');
  const known = new Set(
    contract.split(/^## /m).flatMap((section) => {
      const number = /^§(\d+)/.exec(section)?.[1];
      if (number === undefined) return [];
      return [
        number,
        ...[...section.matchAll(/^(?:### )?(\d+)\. /gm)].map((item) => `${number}.${item[1] ?? ''}`),
      ];
    }),
  );
  const cited = [...sourcesOf(texts), ...documentsOf(texts)].flatMap(([file, text]) =>
    [...text.matchAll(/§(\d+(?:\.\d+)?)/g)].map((match) => ({ file, number: match[1] ?? '' })),
  );
  return cited
    .filter(({ number }) => !known.has(number))
    .map(({ file, number }) => `${file} cites §${number}, which docs/contract.md does not have`);
}

/** In one of the tables of the formats. */
function checkSchemas(texts: Texts): string[] {
  const rows = (texts.get('docs/formats.md') ?? '').split('\n').filter((line) => line.startsWith('|'));
  return [...texts.keys()]
    .filter((file) => /^schemas\/.+\.schema\.json$/.test(file))
    .filter((file) => !rows.some((row) => row.includes(`\`${file}\``)))
    .map((file) => `docs/formats.md does not list ${file}`);
}

function checkVariables(texts: Texts): string[] {
  const sources = sourcesOf(texts)
    .map(([, text]) => text)
    .join('\n');
  const settings = new Set(configKeys.map(({ variable }) => variable));
  return documentsOf(texts).flatMap(([file, text]) =>
    [...text.matchAll(/\bRUNNER_[A-Z_]*[A-Z]\b/g)]
      .map(([name]) => name)
      .filter((name) => !settings.has(name) && !sources.includes(name))
      .map((name) => `${file}: nothing reads or sets ${name}`),
  );
}

function checkAgents(texts: Texts): string[] {
  const text = textOf(texts, 'docs/executors.md');
  return Object.entries(agentSpecs).flatMap(([name, { credentialNames }]) => {
    const block = listCodeBlocks(text).find(({ marks }) => marks.get('argv') === name);
    const row = findTable(text, ['Agent', 'Credentials and settings that pass'])?.rows.find(
      ([agent]) => agent === `\`${name}\``,
    );
    return [
      ...compare(
        `docs/executors.md, argv of ${name}`,
        [block?.body.replaceAll(/\s+/g, ' ') ?? ''],
        [argvOf(name)],
      ),
      ...compare(
        `docs/executors.md, credentials of ${name}`,
        row?.[1]?.split(', ') ?? [],
        credentialNames.map((variable) => `\`${variable}\``),
      ),
    ];
  });
}

function checkCommit(texts: Texts): string[] {
  const [block] = listCodeBlocks(textOf(texts, 'docs/formats.md')).filter(({ marks }) => marks.has('commit'));
  return compare('docs/formats.md, commit', block?.body.split('\n') ?? [], sampleCommitMessage().split('\n'));
}

export function ancestorTable(texts: Texts): TableRule {
  return {
    file: 'docs/testing.md',
    header: ['Group', 'Test', 'Here'],
    key: 1,
    columns: [0, 1, 2],
    rows: () => ancestorRows(texts),
  };
}

/** Group, test, and every file whose titles name it. */
function ancestorRows(texts: Texts): readonly (readonly string[])[] {
  const named = [...texts]
    .filter(([file]) => file.endsWith('.test.ts') && file !== 'test/docs.test.ts')
    .map(([file, text]) => ({ file, names: new Set(listAncestorNames(text)) }));
  return Object.entries(ancestorTests).flatMap(([group, tests]) =>
    tests.map((test) => {
      const files = named.filter(({ names }) => names.has(test)).map(({ file }) => `\`${file}\``);
      return [group, `\`${test}\``, files.toSorted().join(', ')];
    }),
  );
}

function checkAncestors(texts: Texts): string[] {
  const rows = ancestorRows(texts);
  const known = new Set(Object.values(ancestorTests).flat());
  const strange = [...texts]
    .filter(([file]) => file.endsWith('.test.ts') && file !== 'test/docs.test.ts')
    .flatMap(([file, text]) =>
      listAncestorNames(text)
        .filter((name) => !known.has(name))
        .map((name) => `${file}: no ancestor test is called ${name}`),
    );
  return [
    ...strange,
    ...rows
      .filter(([, , files]) => files === '')
      .map(([group, test]) => `no test names [ancestor: ${group ?? ''} ${test ?? ''}]`),
    ...checkTable(texts, ancestorTable(texts)),
  ];
}

/** Every decision has a date, a status, what, why, what follows and where to look. */
function checkDecisions(texts: Texts): string[] {
  const [, ...entries] = textOf(texts, 'DECISIONS.md').split(/^### /m);
  const shape =
    /^\d{4}-\d\d-\d\d — .+\n\n- Status: accepted\n- Decision: [^]*\n- Why: [^]*\n- Consequence: [^]*\n- References: /;
  return [
    ...(entries.length === 0 ? ['DECISIONS.md has no entries'] : []),
    ...entries
      .filter((entry) => !shape.test(entry))
      .map((entry) => `DECISIONS.md: ${entry.split('\n', 1).join('')}`),
  ];
}

const readmeWordsMax = 1200;

/** Words that make a reader stop. */
const stilted =
  /\b(?:stands|whoever|(?:is|are) meant|(?:its|theirs) to say|is for others|(?:is|are) told)\b/i;

function checkEnglish(texts: Texts): string[] {
  const words = textOf(texts, 'README.md').split(/\s+/).length;
  return [
    ...(words > readmeWordsMax ? [`README.md has ${words} words`] : []),
    ...documentsOf(texts)
      .filter(([file]) => file !== 'ARCHITECTURE.md')
      .flatMap(([file, text]) =>
        text
          .split('\n')
          .flatMap((line, index) => (stilted.test(line) ? [`${file}:${index + 1}: ${line}`] : [])),
      ),
  ];
}

export const documentRules: readonly DocumentRule[] = [
  {
    name: 'README is short, and the documents are plain English',
    check: checkEnglish,
    planted: [
      { file: 'README.md', from: '## Install', to: 'word '.repeat(readmeWordsMax) },
      { file: 'VISION.md', from: 'The guard checks it', to: 'Whoever checks it' },
      { file: 'docs/config.md', from: 'Settings are in', to: 'What is set stands in' },
    ],
  },
  {
    name: 'the commands of README exist, and the changelog has the version',
    check: checkScripts,
    planted: [
      { file: 'README.md', from: 'npm ci && npm run demo', to: 'npm ci && npm run show' },
      { file: 'README.md', from: 'npm test', to: 'npm t' },
      { file: 'package.json', from: '"test:fuzz"', to: '"test:fuss"' },
      { file: 'CHANGELOG.md', from: '## 0.1.0', to: '## 0.0.9' },
    ],
  },
  {
    name: 'generated tables are those of the code',
    check: (texts) => generatedTables.flatMap((rule) => checkTable(texts, rule)),
    planted: [
      { file: 'docs/config.md', from: '`1800`', to: '`1801`' },
      { file: 'docs/config.md', from: '`RUNNER_GIT_SIGN`', to: '`RUNNER_SIGN`' },
      { file: 'docs/formats.md', from: ' 100000 ', to: ' 100001 ' },
      { file: 'docs/executors.md', from: '`rate_limited`', to: '`rate_limit`' },
      { file: 'docs/executors.md', from: '`NODE_OPTIONS`, ', to: '' },
      { file: 'docs/formats.md', from: '`repair-fruitless`', to: '`fruitless`' },
      { file: 'docs/formats.md', from: '`.mcp.json`, ', to: '' },
    ],
  },
  {
    name: 'output lines are those of the program',
    check: checkOutput,
    planted: [{ file: 'docs/output.md', from: '::warning title=', to: '::warn title=' }],
  },
  {
    name: 'JSON examples fit their schemas and the code',
    check: checkJson,
    planted: [
      { file: 'docs/formats.md', from: '"max_attempts": 3', to: '"max_attempts": 0' },
      { file: 'docs/formats.md', from: '"mode": "execute"', to: '"mode": "work"' },
      { file: 'docs/formats.md', from: '"next_iter": 5', to: '"next": 5' },
      { file: 'docs/formats.md', from: 'json schema=last', to: 'json' },
      { file: 'docs/output.md', from: '"hint"', to: '"help"' },
      { file: 'docs/scripted-agent.md', from: '"sleep_ms": 100', to: '"sleep": 100' },
    ],
  },
  {
    name: 'every schema is listed',
    check: checkSchemas,
    planted: [
      { file: 'docs/formats.md', from: '`schemas/output/v1/notify.schema.json`', to: '`notify`' },
      { file: 'docs/formats.md', from: '`schemas/meta/v1.schema.json`', to: '`schemas/meta`' },
    ],
  },
  {
    name: 'TOML examples are settings or cases, YAML examples parse',
    check: checkSettings,
    planted: [
      { file: 'docs/config.md', from: 'on_stuck = "defer"', to: 'on_stuck = "skip"' },
      { file: 'README.md', from: 'name = "command"', to: 'nam = "command"' },
      { file: 'docs/config.md', from: '  - repo: local', to: '\t- repo: local' },
      { file: 'docs/eval.md', from: 'type = "runner_completed"', to: 'type = "completed"' },
    ],
  },
  {
    name: 'cases, checks, outcomes and reasons of evals are those of the code',
    check: checkEvalDocument,
    planted: [
      { file: 'docs/eval.md', from: '| `split-the-bill`', to: '| `split-the-bills`' },
      { file: 'docs/eval.md', from: '| `case.timeout_secs` | `3600`', to: '| `case.timeout_secs` | `1800`' },
      { file: 'docs/eval.md', from: '`min_nodes`, ', to: '' },
      { file: 'docs/eval.md', from: '| `stuck` ', to: '| `blocked` ' },
      { file: 'docs/eval.md', from: '| `run_limit` ', to: '| `limit` ' },
      { file: 'eval/cases/rpn-rust.toml', from: '"cargo", ', to: '' },
    ],
  },
  {
    name: 'every link and every path leads somewhere',
    check: checkLinks,
    planted: [
      { file: 'README.md', from: '](docs/config.md)', to: '](docs/settings.md)' },
      { file: 'DECISIONS.md', from: 'contract.md#1-promises', to: 'contract.md#1-promise' },
      { file: 'CONTRIBUTING.md', from: '`src/cli/program.ts`', to: '`src/cli/programme.ts`' },
    ],
  },
  {
    name: 'every runner command shown can be typed',
    check: checkCalls,
    planted: [
      { file: 'README.md', from: '$ runner loop', to: '$ runner run' },
      { file: 'docs/config.md', from: 'exec runner validate --quiet', to: 'exec runner validate --silent' },
      { file: 'docs/config.md', from: 'entry: runner validate', to: 'entry: runner check' },
      { file: 'docs/cli.md', from: 'runner start --new\n', to: 'runner start --another\n' },
    ],
  },
  {
    name: 'every § number leads somewhere',
    check: checkCitations,
    planted: [
      { file: 'src/app/step.ts', from: '§5', to: '§12' },
      { file: 'src/app/run-agent.ts', from: '§5.4', to: '§5.9' },
      { file: 'docs/contract.md', from: '## §8 ', to: '## §18 ' },
    ],
  },
  {
    name: 'every variable shown is known to the code',
    check: checkVariables,
    planted: [{ file: 'docs/executors.md', from: '`RUNNER_SCHEMA`', to: '`RUNNER_SHEMA`' }],
  },
  {
    name: 'agents are started as the documents say',
    check: checkAgents,
    planted: [
      { file: 'docs/executors.md', from: '--ephemeral', to: '--fresh' },
      { file: 'docs/executors.md', from: '`IS_SANDBOX`', to: '`SANDBOX`' },
    ],
  },
  {
    name: 'the commit message is that of the code',
    check: checkCommit,
    planted: [{ file: 'docs/formats.md', from: 'Runner-Guard-Exit: 0', to: 'Runner-Exit: 0' }],
  },
  {
    name: 'the table of trailers has every trailer',
    check: checkTrailers,
    planted: [{ file: 'docs/formats.md', from: '| `Runner-Person`', to: '| `Runner-People`' }],
  },
  {
    name: 'decisions have their parts',
    check: checkDecisions,
    planted: [
      { file: 'DECISIONS.md', from: '- Why: ', to: '- Because: ' },
      { file: 'DECISIONS.md', from: '- References: ', to: '- See: ' },
    ],
  },
  {
    name: 'every ancestor test has a counterpart, and the table names it',
    check: checkAncestors,
    planted: [
      { file: 'docs/testing.md', from: '`is_stuck_edge_cases`', to: '`is_stuck`' },
      {
        file: 'test/core/tree/selector.test.ts',
        from: '[ancestor: selector is_stuck',
        to: '[ancestor: selector stuck',
      },
    ],
  },
];
