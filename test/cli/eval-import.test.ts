/** `runner eval import`: task folders of Terminal-Bench and Harbor become cases that their own solution solves and nobody else does. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { evalProject, outcomesIn } from '../support/eval-project.ts';
import { expectOutput } from '../support/output-schema.ts';

const terminalBench = {
  'task.yaml': `instruction: |-
  Write the number of lines of /app/data/words.txt to /app/count.txt.
author_email: nobody@example.com
difficulty: easy
category: file-operations
parser_name: pytest
max_agent_timeout_sec: 120
max_test_timeout_sec: 30
`,
  Dockerfile: 'FROM example/base:1\nWORKDIR /app\nCOPY data ./data\nRUN touch /app/made-by-setup\n',
  'docker-compose.yaml': 'services:\n  client: {}\n',
  'data/words.txt': 'one\ntwo\nthree\n',
  'run-tests.sh': '#!/bin/bash\ncd "$TEST_DIR" && bash check.sh\n',
  'tests/check.sh': 'test -e /app/made-by-setup && [ "$(cat /app/count.txt)" = 3 ]\n',
  'solution.sh': '#!/bin/bash\ncd / && wc -l < /app/data/words.txt | tr -d " " > /app/count.txt\n',
};

/** The verifier exits with 0 whatever it found; the reward says it. */
const harbor = {
  'task.toml':
    'version = "1.0"\n[metadata]\ndifficulty = "easy"\n[verifier]\ntimeout_sec = 30.0\n[agent]\ntimeout_sec = 120.0\n',
  'instruction.md': 'Make `/app/greet.sh` print `hello` and be executable.\n',
  'environment/Dockerfile': 'FROM example/base:1\nRUN apt-get update\nWORKDIR /app\n',
  'tests/test.sh': `#!/bin/bash
if [ "$(/app/greet.sh)" = "$(cat /tests/expected.txt)" ]; then echo 1 > /logs/verifier/reward.txt
else echo 0 > /logs/verifier/reward.txt; fi
exit 0
`,
  'tests/expected.txt': 'hello\n',
  'solution/solve.sh': 'cp /solution/answer.sh /app/greet.sh; chmod +x /app/greet.sh\n',
  'solution/answer.sh': '#!/bin/sh\necho hello\n',
};

/** The other file in which a verifier may say it, with more than one number. */
const harborJson = {
  ...harbor,
  'tests/test.sh': `#!/bin/bash
[ "$(/app/greet.sh)" = "$(cat /tests/expected.txt)" ] && solved=1.0 || solved=0
printf '{\\n  "style": 0.5,\\n  "reward": %s\\n}\\n' "$solved" > /logs/verifier/reward.json
`,
};

function putTask(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (path.endsWith('.sh')) chmodSync(file, 0o755);
  }
}

test('two folders are imported; with their solution they succeed, with nobody they fail', async () => {
  const p = await evalProject();
  const tasks = join(p.home, 'tasks');
  putTask(join(tasks, 'count-lines'), terminalBench);
  putTask(join(tasks, 'Greet_Me'), harbor);
  putTask(join(tasks, 'in-json'), harborJson);
  const imported = await p.run('eval', 'import', tasks, '--json');
  expect(imported.code, imported.err).toBe(0);
  const lines = imported.out.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  for (const line of lines) expectOutput('eval-import', line);
  expect(lines.map(({ case_id, oracle }) => [case_id, oracle])).toEqual([
    ['greet_me', true],
    ['count-lines', true],
    ['in-json', true],
  ]);
  expect(imported.err).toContain('note: greet_me: left out: RUN apt-get update; install what');
  expect(imported.err).toContain('note: scripts of a task run on this machine');
  const listed = await p.run('eval', 'list');
  expect(listed.code, listed.err).toBe(0);
  const ran = await p.evalRun('--oracle', '--null', '--jobs', 'auto');
  expect(ran.code, ran.err).toBe(0);
  const line = (id: string, variant: string, outcome: string): string =>
    `case=${id} variant=${variant} repeat=1 outcome=${outcome}`;
  expect(outcomesIn(ran.out)).toEqual([
    line('count-lines', 'null', 'fail'),
    line('count-lines', 'oracle', 'success'),
    line('greet_me', 'null', 'fail'),
    line('greet_me', 'oracle', 'success'),
    line('in-json', 'null', 'fail'),
    line('in-json', 'oracle', 'success'),
  ]);
  // What was laid in is gone again.
  const workspace = join(p.dir, p.trial('greet_me').meta.workspace ?? '');
  expect(existsSync(join(workspace, '../hidden')) || existsSync(join(workspace, '../oracle'))).toBe(false);

  const again = await p.run('eval', 'import', join(tasks, 'Greet_Me'));
  expect(again.code).toBe(64);
  expect(again.err).toMatch(/greet_me\.toml is there already .*\nhint: runner eval import <dir> --force/);
  expect((await p.run('eval', 'import', join(tasks, 'Greet_Me'), '--force')).code).toBe(0);
});

test('a folder that is no task, and a task that cannot be a case, are refused and nothing is written', async () => {
  const p = await evalProject();
  mkdirSync(join(p.home, 'empty'));
  const none = await p.run('eval', 'import', join(p.home, 'empty'));
  expect(none.code).toBe(1);
  expect(none.err).toMatch(/is no task folder, and none is in it: .* \[EVAL_CASE_INVALID\]/);
  putTask(join(p.home, 'bad'), { 'task.yaml': 'instruction: Do it.\n' });
  const bad = await p.run('eval', 'import', join(p.home, 'bad'));
  expect(bad.err).toContain('/bad: there is no run-tests.sh');
  expect((await p.run('eval', 'import', join(p.home, 'nowhere'))).code).toBe(64);
  expect(existsSync(join(p.dir, 'eval/cases'))).toBe(false);
});
