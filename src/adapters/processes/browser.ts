/** Opens an address of ours in the person's browser, with the system's own command. Whether one comes up is not waited for. */
import { spawn } from 'node:child_process';

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** `onFailure` is called when there is no such command. */
export function openBrowser(address: string, onFailure: () => void): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  child.on('error', onFailure);
  child.unref();
}
