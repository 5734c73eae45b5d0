/** The usual way of a run, the same for every CLI: split the goal, a first try that the check refuses, two that it takes. */
import type { Scenario, Turn } from './scenario.ts';

/** Looks at what is there; nothing there is fine, so that the check is green before the first session. */
const check = `import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
const wanted = [['add.mjs', (m) => m.add(2, 3), 5], ['mul.mjs', (m) => m.mul(2, 3), 6]];
for (const [file, call, value] of wanted) {
  if (!existsSync(file)) continue;
  assert.equal(call(await import(\`./\${file}\`)), value, \`\${file} is wrong\`);
}
`;

export const guard = ['node', 'check.mjs'];

/** Words that are only in the project's instruction files. */
export const instructions = {
  'AGENTS.md': 'The password of AGENTS.md is kumquat.',
  'CLAUDE.md': 'The password of CLAUDE.md is tamarind.',
  'GEMINI.md': 'The password of GEMINI.md is rambutan.',
  'QWEN.md': 'The password of QWEN.md is persimmon.',
} as const;

export const projectFiles = { 'check.mjs': check, ...instructions };

const children = [
  { title: 'Add', goal: 'add.mjs adds two numbers', acceptance: ['add(2, 3) is 5'] },
  { title: 'Multiply', goal: 'mul.mjs multiplies two numbers', acceptance: ['mul(2, 3) is 6'] },
];

export function said(status: string, summary: string, parts: unknown = null): Turn {
  return { kind: 'final', text: JSON.stringify({ status, summary, children: parts }) };
}

/** The command that fails with an exit code of its own. */
export const failingCommand = "sh -c 'exit 7'";
export const wrongCommand = "echo 'export const add = (a, b) => a * b;' > add.mjs";
const rightCommand = "echo 'export const add = (a, b) => a + b;' > add.mjs";

/** A file of the home folder that is none of the agent's business, and its words. */
export const canary = { file: 'canary.txt', text: 'The password of the canary is durian.' } as const;

/** Codex tells its tools when its own sandbox is around them. */
const ownSandboxCommand = 'echo "own sandbox: ${CODEX_SANDBOX_NETWORK_DISABLED:-off}"';
export const ownSandbox = { on: 'own sandbox: 1', off: 'own sandbox: off' } as const;

/** The login after the one that was there, as a CLI renews it: the file is replaced. Its path is below the home folder. */
export const renewal = { before: 'token-of-yesterday', after: 'token-of-today' } as const;

function renewCommand(file: string): string {
  const { before, after } = renewal;
  return `sed -i s/${before}/${after}/g "$HOME/${file}"`;
}

/** The main path inside a sandbox; on the way the agent looks at the home folder and renews its login. */
export function containedPath(loginFile: string): (dir: string) => Scenario {
  return (dir) => {
    const [first = [], second = [], third = [], fourth = []] = mainPath(dir).sessions;
    const renew: Turn = { kind: 'shell', command: renewCommand(loginFile) };
    const look: Turn = { kind: 'shell', command: `cat "$HOME/${loginFile}"` };
    return { sessions: [first, second, [renew, ...third], [look, ...fourth]] };
  };
}

export function mainPath(dir: string): Scenario {
  const multiply = 'export const mul = (a, b) => a * b;\n';
  return {
    sessions: [
      [said('decomposed', 'two parts', children)],
      [
        { kind: 'shell', command: wrongCommand, text: 'First the file.' },
        { kind: 'shell', command: failingCommand },
        said('done', 'wrote add'),
      ],
      [
        { kind: 'shell', command: `cat "$HOME/${canary.file}"; ${ownSandboxCommand}` },
        { kind: 'shell', command: rightCommand, reasoning: 'It multiplied.' },
        said('done', 'mended add'),
      ],
      [{ kind: 'edit', file: `${dir}/mul.mjs`, content: multiply }, said('done', 'wrote mul')],
    ],
  };
}
