/** Hints about files, settings, nodes, evals and the program itself: a situation for each code (test/cli/hints-typed.test.ts). */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { caseText, putBatch, sampleBatch } from './eval-samples.ts';
import { putCase } from './eval-project.ts';
import { afterThen, met, metWith, works } from './hint-rows.ts';
import type { HintTable } from './hint-rows.ts';
import { answer, bareProject, project, tempFolder, unstartedProject, write } from './project.ts';
import { pathOf } from './refusals.ts';
import { node } from './trees.ts';

const passing = { actions: [write('a.txt', 'a\n')], answer: answer('done') };

async function withCase() {
  const p = await bareProject();
  putCase(p, 'plain');
  return p;
}

export const fileHints = {
  USAGE: { meet: async () => met(await bareProject(), 'stepp') },
  INTERNAL: { why: 'it means a defect of runner; its hint asks for a report, which is no command' },
  LAYOUT_MISSING: { meet: async () => met(await bareProject(), 'status'), ledOn: works('status') },
  LAYOUT_EXISTS: {
    meet: async () => met(await unstartedProject(), 'init'),
    words: (hint) => hint.split(' rewrites')[0] ?? '',
    ledOn: works('validate'),
  },
  LAYOUT_INVALID: {
    meet: async () => {
      const p = await project();
      rmSync(join(p.dir, '.runner/state/questions.md'));
      return met(p, 'validate');
    },
    ledOn: works('validate'),
  },
  CONFIG_INVALID: {
    meet: async () => {
      const p = await project();
      p.put('.runner/state/config.toml', 'max_iteration = 1\n');
      return met(p, 'validate');
    },
    byHand: (p) => p.put('.runner/state/config.toml', 'max_iterations = 1\n'),
    words: afterThen,
  },
  TREE_INVALID: {
    meet: async () => {
      const p = await project();
      p.put('.runner/state/tree.json', '{');
      return met(p, 'select');
    },
    byHand: (p) => p.git('restore', '--', '.runner/state/tree.json'),
    words: afterThen,
    ledOn: works('select'),
  },
  PASSED_EDITED: {
    meet: async () => {
      const p = await project();
      p.put('.runner/state/tree.json', JSON.stringify(node('root', { passes: true })));
      await p.git('add', '-A');
      return met(p, 'validate');
    },
    ledOn: works('validate'),
  },
  RUN_STATE_INVALID: {
    meet: async () => {
      const p = await project();
      p.put('.runner/state/run_state.json', '{');
      return met(p, 'select');
    },
    ledOn: works('select'),
  },
  GOAL_INVALID: {
    meet: async () => {
      const p = await project();
      p.put('.runner/GOAL.md', '---\nid: a..b\n---\nGoal.\n');
      return met(p, 'validate');
    },
    byHand: (p) => p.put('.runner/GOAL.md', '---\nid: test\n---\nGoal.\n'),
    words: afterThen,
  },
  GOAL_PLACEHOLDER: {
    meet: async () => {
      const p = await bareProject();
      await p.run('init');
      return met(p, 'start');
    },
    byHand: (p) => p.put('.runner/GOAL.md', 'Make it.\n'),
    words: (hint) => afterThen(hint).split(' (')[0] ?? '',
  },
  SCRIPT_INVALID: {
    meet: async () => {
      const p = await project();
      p.put('s.json', '{');
      await p.run('config', 'set', 'agent.script', 's.json');
      return met(p, 'validate');
    },
    byHand: (p) => p.put('s.json', '{ "version": 1, "steps": [] }\n'),
    words: afterThen,
  },
  NODE_CLOSED: {
    meet: async () => {
      const tree = node('root', { children: [node('a', { passes: true }), node('b', { order: 1 })] });
      return met(await project({ tree }), 'retry', 'a');
    },
  },
  NODE_UNKNOWN: { meet: async () => met(await project(), 'retry', 'nope') },
  LOG_MISSING: { meet: async () => met(await project(), 'log', '9') },
  DISK: {
    meet: async () =>
      metWith(
        await project({ guard: ['sh', '-c', 'test ! -e bad.txt'] }),
        { TMPDIR: '/nonexistent' },
        'doctor',
        '--run-guard',
      ),
    // "set TMPDIR to a folder that is there"
    words: () => 'TMPDIR="$HOME" runner doctor --run-guard',
  },
  PORT_TAKEN: {
    meet: async () => {
      const { createServer } = await import('node:net');
      const p = await project();
      const server = createServer().listen(0, '127.0.0.1');
      await new Promise((resolve) => {
        server.once('listening', resolve);
      });
      const { port } = server.address() as { port: number };
      const found = await met(p, 'ui', '--port', String(port));
      server.close();
      return found;
    },
    // It serves until it is stopped.
    words: (hint) =>
      `${hint.split(' picks')[0] ?? ''} > ui.txt & pid=$!; until grep -q http ui.txt; do kill -0 $pid || exit 1; done; kill $pid`,
  },
  EVAL_CASE_INVALID: {
    meet: async () => {
      const p = await withCase();
      p.put('eval/cases/bad.toml', 'id = ');
      return met(p, 'eval', 'list');
    },
    byHand: (p) => rmSync(join(p.dir, 'eval/cases/bad.toml')),
    words: afterThen,
  },
  EVAL_CASE_UNKNOWN: { meet: async () => met(await withCase(), 'eval', 'run', 'nope', '--null') },
  EVAL_CASE_CHANGED: {
    meet: async () => {
      const p = await withCase();
      await p.run('eval', 'run', '--null', '--batch', 'one');
      p.put('eval/cases/plain.toml', `${p.read('eval/cases/plain.toml')}\n# changed\n`);
      return met(p, 'eval', 'run', '--resume', '--batch', 'one');
    },
    // Without an agent at hand the new batch is one of the null agent.
    words: () => 'runner eval run --null',
  },
  EVAL_RATE_MISSED: {
    meet: async () => {
      const p = await bareProject();
      putCase(p, 'plain', { guard: ['false'] });
      return met(p, 'eval', 'run', '--null', '--min-pass-rate', '1');
    },
  },
  EVAL_BATCH_UNKNOWN: {
    meet: async () => {
      const p = await withCase();
      await p.run('eval', 'run', '--null', '--batch', 'one');
      return met(p, 'eval', 'report', 'two');
    },
  },
  EVAL_BATCH_CONFLICT: {
    meet: async () => {
      const p = await bareProject({ files: { 'eval/cases/a.toml': caseText({ id: 'a' }) } });
      const [here, there] = [join(p.dir, 'eval/results'), tempFolder('results')];
      putBatch(here, { batch_id: 'one', plan: { ...sampleBatch().plan, repeats: 2 } });
      putBatch(there, { batch_id: 'one', plan: { ...sampleBatch().plan, repeats: 3 } });
      return met(p, 'eval', 'merge', there);
    },
  },
  ITERATION_LIMIT: {
    meet: async () => {
      const script = [{ answer: answer('retry') }, passing];
      const p = await project({ script, config: 'max_iterations = 1' });
      await p.run('step');
      return met(p, 'loop');
    },
  },
  RUN_TIME_LIMIT: {
    meet: async () => {
      const p = await project({ script: [passing] });
      const { totals } = p.runState();
      writeFileSync(
        join(p.dir, '.runner/state/run_state.json'),
        JSON.stringify({ ...p.runState(), totals: { ...totals, seconds: 70 } }),
      );
      await p.git('commit', '-qam', 'older');
      await p.run('config', 'set', 'limits.max_run_secs', '60');
      return met(p, 'loop');
    },
  },
  AGENT_MISSING: {
    meet: async () => {
      const agent = `name = "command"\ncommand = ["./agent.sh"]`;
      const files = { 'agent.sh': '#!/bin/sh\necho no\n' };
      return met(await project({ agent, files }), 'step', '--dry-run');
    },
    ledOn: async (p) => {
      await p.git('commit', '-qam', 'mode');
      await works('step', '--dry-run')(p);
    },
  },
  GUARD_MISSING: {
    meet: async () => met(await project({ guard: ['nosuch'] }), 'step', '--dry-run'),
    // "set guard.command to your own check and commit it": what does so is config set.
    words: () => `runner config set guard.command '["true"]'`,
    ledOn: works('step', '--dry-run'),
  },
  SANDBOX_PATH: { why: 'it needs bubblewrap; test/cli/bwrap.test.ts types its hint' },
  SANDBOX_MISSING: {
    meet: async () => {
      const p = await project({ agent: `name = "command"\ncommand = ["true"]` });
      await p.run('config', 'set', 'sandbox.image', 'none');
      await p.run('config', 'set', 'sandbox.kind', 'docker');
      return metWith(p, { PATH: pathOf(p, ['git', 'sh', 'node', 'true']) }, 'step');
    },
    words: (hint) => hint.split('go without: ')[1] ?? '',
    ledOn: works('step', '--dry-run'),
  },
} satisfies HintTable;
