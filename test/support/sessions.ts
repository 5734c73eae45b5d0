/** A project with its git folder, a clock and signals that a test sends, for tests of what runs an agent or a guard. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layout, privateLayout } from '../../src/adapters/layout.ts';
import type { Layout, PrivateLayout } from '../../src/adapters/layout.ts';
import type { SignalName } from '../../src/core/types.ts';
import type { Interrupts } from '../../src/ports/sessions.ts';
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
      for (const listener of listeners) {
        listener(signal);
      }
    },
  };
}
