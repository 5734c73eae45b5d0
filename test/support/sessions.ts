/** A project with its git folder, a clock and signals that a test sends, for tests of what runs an agent or a guard. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentSessionOptions } from '../../src/adapters/agents/agent-program.ts';
import { systemClock } from '../../src/adapters/files/clock.ts';
import { noUserLogin } from '../../src/adapters/agents/executors/spec.ts';
import type { CommandRequest } from '../../src/adapters/agents/executors/spec.ts';
import { systemHasher } from '../../src/adapters/files/hasher.ts';
import { layout, privateLayout } from '../../src/adapters/files/layout.ts';
import type { Layout, PrivateLayout } from '../../src/adapters/files/layout.ts';
import type { ProcessResult } from '../../src/adapters/processes/process.ts';
import { redactor } from '../../src/core/text/redact.ts';
import { agentOutputSchemaText } from '../../src/core/shipped.js';
import type { Config, SignalName } from '../../src/core/types.ts';
import type { Interrupts, SessionRequest } from '../../src/ports/sessions.ts';
import { configOutside, configWith } from './facts.ts';
import { scratchFolder } from './scratch.ts';

export interface Stage {
  readonly place: Layout;
  readonly own: PrivateLayout;
  readonly top: string;
  /** Writes an executable shell program into the project and returns its path. */
  readonly program: (name: string, lines: string) => string;
}

export function stage(): Stage {
  const top = scratchFolder();
  const place = layout(top);
  const own = privateLayout(join(top, '.git'));
  mkdirSync(place.stateDir, { recursive: true });
  mkdirSync(own.gitDir);
  return {
    place,
    own,
    top,
    program: (name, lines) => {
      const path = join(top, name);
      writeFileSync(path, `#!/bin/sh\n${lines}\n`);
      chmodSync(path, 0o755);
      return path;
    },
  };
}

/** Signals that never come unless the test sends one. */
export function testInterrupts(): Interrupts & { readonly send: (signal: SignalName) => void } {
  let sent: SignalName | null = null;
  const listeners = new Set<(signal: SignalName) => void>();
  return {
    current: () => sent,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    send: (signal) => {
      sent = signal;
      for (const listener of listeners) listener(signal);
    },
  };
}

/** An answer that counts. */
export const doneAnswer = '{"status":"done","summary":"s","children":null}';

/** What an agent session runs with: keys of two agents, a home without any login, short graces. */
export function sessionOptions(at: Stage, more: Partial<AgentSessionOptions> = {}): AgentSessionOptions {
  return {
    place: at.place,
    own: at.own,
    top: at.top,
    repository: 'a-repository',
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: '/nowhere',
      SECRET: 'x',
      CODEX_API_KEY: 'key-o',
      ANTHROPIC_API_KEY: 'key-a',
    },
    clock: systemClock(),
    interrupts: testInterrupts(),
    redactor: () => redactor([]),
    entryFile: '/no/entry.js',
    graceMs: 200,
    ...more,
  };
}

/** Session 1 of iteration 3 of run r. */
export function sessionRequest(
  agent: Partial<Config['agent']>,
  more: Partial<SessionRequest> = {},
): SessionRequest {
  return {
    role: 'agent',
    session: 1,
    run_id: 'r',
    iter: 3,
    node_id: 'root.1',
    prompt: 'the prompt ü\n',
    judged_sessions: 4,
    cookie: systemHasher().cookie(),
    deadlineMs: systemClock().monotonicMs() + 60_000,
    config: configOutside({ agent }),
    onActivity: () => undefined,
    everyActivity: true,
    onEvent: () => undefined,
    ...more,
  };
}

/** A process that ended by itself with exit code 1. */
export function processResult(more: Partial<ProcessResult> = {}): ProcessResult {
  return {
    end: 'exited',
    exitCode: 1,
    signal: null,
    interruptSignal: null,
    startError: null,
    durationMs: 1234,
    leftovers: [],
    ...more,
  };
}

/** What an executor builds its command from. */
export function commandRequest(
  agent: Partial<Config['agent']>,
  more: Partial<CommandRequest> = {},
): CommandRequest {
  return {
    config: configWith({ agent }),
    role: 'agent',
    program: '/bin/agent',
    projectDir: '/p',
    isContained: false,
    ownDir: '/g',
    answerFile: '/g/answer.json',
    schemaFile: '/g/schema.json',
    schemaText: agentOutputSchemaText,
    session: 1,
    login: noUserLogin,
    userEnv: {},
    ...more,
  };
}
