/**
 * A real terminal for a test: tmux without a client, of a given size, with a shell in it. What it shows is looked at until something
 * appears; nothing waits for a fixed time.
 */
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import type { Project } from './project.ts';
import { entryFile } from './project.ts';
import { waitUntil } from './scratch.ts';

/** Where it is missing these tests are skipped, and their names say what installs it. */
export const hasTmux = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'tmux')));

export const tmuxHint = hasTmux ? '' : ' (skipped: apt-get install -y tmux)';

/** A program and its arguments as a shell reads them. */
export const runnerCommand = `'${process.execPath}' '${entryFile}'`;

export type Screen = Awaited<ReturnType<typeof openScreen>>;

let screens = 0;

export async function openScreen(
  p: Project,
  size: { readonly columns: number; readonly rows: number; readonly env?: Readonly<Record<string, string>> },
) {
  screens += 1;
  const socket = join(p.base, `tmux-${screens}`);
  const rawFile = join(p.base, `raw-${screens}`);
  const env = { ...p.env, SHELL: '/bin/sh', PS1: '> ', ENV: '', TERM: 'xterm-256color', ...size.env };
  const tmux = async (...args: readonly string[]): Promise<string> =>
    (
      await execa('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...args], {
        cwd: p.dir,
        env,
        extendEnv: false,
      })
    ).stdout;
  await tmux('new-session', '-d', '-x', String(size.columns), '-y', String(size.rows), '/bin/sh');
  onTestFinished(async () => {
    await tmux('kill-server').catch(() => undefined);
  });
  await tmux('pipe-pane', '-o', `cat > '${rawFile}'`);
  const capture = async (...flags: readonly string[]): Promise<string> =>
    tmux('capture-pane', '-p', ...flags);
  const until = async (what: string, isThere: (text: string) => boolean): Promise<string> =>
    waitUntil(
      what,
      async () => {
        const text = await capture();
        return isThere(text) && text;
      },
      60_000,
    ).catch(async (error: unknown) => {
      throw new Error(`${String(error)}\n${await capture()}`);
    });
  return {
    /** As text, one line a row. */
    capture,
    /** Looks at the screen until it is as wanted. */
    until,
    /** Types a command line; its exit code is shown as `exit=<code>` when it is over. */
    type: async (command: string) => {
      await tmux('send-keys', '-l', `${command}; echo exit=$?`);
      await tmux('send-keys', 'Enter');
    },
    /** The screen after the command. */
    ended: (code: number) => until(`exit=${code}`, (text) => text.includes(`exit=${code}\n`)),
    press: (key: string) => tmux('send-keys', key),
    resize: (columns: number, rows: number) =>
      tmux('resize-window', '-x', String(columns), '-y', String(rows)),
    /** Every byte the terminal got. */
    raw: () => readFileSync(rawFile, 'utf8'),
    isCursorShown: async () => (await tmux('display-message', '-p', '#{cursor_flag}')) === '1',
    title: () => tmux('display-message', '-p', '#{pane_title}'),
  };
}
