/**
 * A run in every state that a person may find it in, made by the built `runner` with a scripted `claude` and a real guard. What the pages
 * show of them is tested, and pictures are made of it.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { claudeFails, claudeLimited, claudeResult, playFake, say } from './fake-agent.ts';
import { bareProject, project } from './project.ts';
import type { Project, Ran } from './project.ts';
import { waitUntil } from './scratch.ts';
import { template } from './template.ts';
import { node } from './trees.ts';

/** A run that has come to a state; `loop`: what the command that led there printed, where it has ended. */
export interface MadeState {
  readonly made: Project;
  readonly loop: Ran | null;
}

const tree = node('root', {
  title: 'Slugs for article titles',
  goal: 'Titles become readable, unique slugs.\n\n- every title gets one\n- `slugify` has **tests**',
  acceptance: ['every exported function has a test'],
  children: [
    node('root.1', { title: 'Lower-case and join words', goal: 'slugify joins words by hyphens' }),
    node('root.2', {
      title: 'Drop accents and punctuation',
      order: 1,
      goal: '`Crème brûlée` is `creme-brulee`',
    }),
    node('root.3', { title: 'Number slugs that are taken', order: 2, goal: 'the second one ends in -2' }),
  ],
});

/** Passes unless a file says otherwise; holds while the private home asks for it. */
const guardScript = `#!/bin/sh
printf 'TAP version 13\\n# tests of slugify\\n'
printf '\\033[32mok\\033[0m 1 - words are joined by hyphens (4 ms)\\n'
printf '\\033[7m SLOW \\033[0m 2 - a long title (912 ms)\\n\\033[7;31m FLAKY \\033[0m seen before\\n'
n=0
while test -e ../home/hold; do n=$((n + 1)); echo "ok $n - still checking"; sleep 0.5; done
if grep -rq BROKEN src; then
  printf '\\033[31mnot ok\\033[0m 3 - accents go\\n'
  printf '  error: expected "creme-brulee", got "crème-brûlée"\\n  at src/slugify.js:3:10\\n'
  exit 1
fi
echo '1..3'
`;

const usage = { input: 18_200, output: 1450, cost: 0.1173 };
const blocks = (...content: readonly unknown[]): string => say({ type: 'assistant', message: { content } });
const results = (...content: readonly unknown[]): string => say({ type: 'user', message: { content } });

/** What a session looks like on the way to its answer. */
const work = (summary: string, content: string): string => `
${blocks({ type: 'text', text: `I look at the tests first.\n\nThen: ${summary}` })}
${blocks({ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'cat src/slugify.js' } })}
${results({ type: 'tool_result', tool_use_id: 't1', content: 'export const slugify = (title) => title;' })}
printf '%s' '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"'"$PWD"'/src/slugify.js"}}]}}'; echo
echo '${content}' >> src/slugify.js
${results({ type: 'tool_result', tool_use_id: 't2', content: 'The file has been updated.' })}
${blocks({ type: 'tool_use', id: 't3', name: 'Bash', input: { command: 'sh check.sh | tail -1' } })}
${results({ type: 'tool_result', tool_use_id: 't3', is_error: true, content: 'Exit code 1\nnot ok 3 - accents go' })}
`;

const answers = (status: string, summary: string): string =>
  claudeResult({ answer: { status, summary, children: null }, usage });

const passing = `${work('join words', '// joins words')}${answers('done', 'Words are joined by hyphens. Added `slugify` tests.')}`;
const failing = `${work('drop accents', '// BROKEN accents')}
printf '%s\n' '- Should emoji be kept in a slug?' >> .runner/state/questions.md
printf '%s\n' '# Assumptions' '' '- Titles are **UTF-8** ([spec](https://example.invalid/x))' > .runner/state/assumptions.md
${answers('done', 'Accents are dropped now.')}`;
const mending = `sed -i 's/BROKEN/mended/' src/slugify.js\n${work('mend it', '// mended')}${answers('done', 'Now it is right.')}`;
/** Works on until the test ends it. */
const lasting = `${work('number them', '// numbers')}
touch "$HOME/at-work"; until [ -f "$HOME/go" ]; do test -d "$HOME" || exit 1; sleep 0.05; done
${answers('done', 'Taken slugs get numbers.')}`;

const first = [passing, failing] as const;

function begin(made: Project, sessions: readonly string[]) {
  const path = playFake(made, 'claude', { agent: sessions });
  const loop = made.start(['loop'], path);
  onTestFinished(async () => {
    rmSync(join(made.home, 'hold'), { force: true });
    loop.kill('SIGKILL');
    await loop;
  });
  return loop;
}

async function ended(made: Project, sessions: readonly string[]): Promise<MadeState> {
  const path = playFake(made, 'claude', { agent: sessions });
  return { made, loop: await made.runWith(path, 'loop') };
}

async function stateOf(made: Project): Promise<string> {
  const { out } = await made.run('status', '--json');
  return (JSON.parse(out) as { situation: { state: string } }).situation.state;
}

const isThere = (made: Project, name: string): Promise<unknown> =>
  waitUntil(name, () => existsSync(join(made.home, name)) || null);

function shownOf(made: Project, iter: number, log: string, text: string): Promise<unknown> {
  return waitUntil(`${text} in ${log}`, () => {
    try {
      return made.log(iter, log).includes(text) || null;
    } catch {
      return null;
    }
  });
}

/** Call it at the top of a file: what it prepares goes with the file. */
export function pageStates(): Readonly<Record<string, () => Promise<MadeState>>> {
  const started = template(() =>
    project({
      agent: 'name = "claude"',
      tree,
      files: { 'src/slugify.js': 'export const slugify = (title) => title;\n', 'check.sh': guardScript },
      guard: ['sh', 'check.sh'],
      config: 'max_attempts_default = 3',
      goal: '# Slugs for article titles\n\nTitles become readable, unique slugs.\n',
    }),
  );

  return {
    fresh: async () => {
      const made = await bareProject();
      await made.run('init');
      return { made, loop: null };
    },
    working: async () => {
      const made = await started();
      void begin(made, [...first, mending, lasting]);
      await isThere(made, 'at-work');
      await shownOf(made, 4, 'events.jsonl', 'accents go');
      return { made, loop: null };
    },
    waiting: async () => {
      const made = await started();
      void begin(made, [...first, claudeLimited(3000, usage)]);
      await waitUntil('the wait', async () => (await stateOf(made)) === 'waiting' || null);
      return { made, loop: null };
    },
    guard: async () => {
      const made = await started();
      void begin(made, [...first, `touch "$HOME/hold"\n${mending}`]);
      await shownOf(made, 3, 'guard.log', 'ok 2');
      return { made, loop: null };
    },
    paused: async () => {
      const made = await started();
      const loop = begin(made, [...first, lasting]);
      await isThere(made, 'at-work');
      await made.run('pause');
      writeFileSync(join(made.home, 'go'), '');
      const { exitCode, stdout, stderr } = await loop;
      return { made, loop: { code: exitCode, signal: undefined, out: stdout, err: stderr } };
    },
    stuck: async () => ended(await started(), [passing, failing, failing, failing]),
    complete: async () => ended(await started(), [passing, failing, mending, passing]),
    login: async () =>
      ended(await started(), [...first, claudeFails(401, 'Invalid API key · Please run /login')]),
    timeout: async () => {
      const made = await started();
      await made.run('config', 'set', 'iteration_timeout_secs', '4');
      return ended(made, [...first, `${work('number them', '// numbers')}\nsleep 60`]);
    },
    limit: async () => {
      const made = await started();
      await made.run('config', 'set', 'max_iterations', '2');
      return ended(made, first);
    },
    dirty: async () => {
      const made = await started();
      made.put('src/new.js', '// of a person\n');
      return ended(made, []);
    },
    'no agent': async () => {
      const made = await started();
      return { made, loop: await made.runWith({ RUNNER_AGENT_BIN: 'claude-that-is-not-there' }, 'loop') };
    },
    crashed: async () => {
      const made = await started();
      const loop = begin(made, [...first, lasting]);
      await isThere(made, 'at-work');
      await shownOf(made, 3, 'events.jsonl', 'accents go');
      loop.kill('SIGKILL');
      await loop;
      return { made, loop: null };
    },
  };
}
