/** Opens one of our addresses in the person's browser, with the system's own command. Does not wait for the browser. */
import type { Env } from '../../core/types.ts';

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** False when there is no such command. */
export async function openBrowser(address: string, env: Env): Promise<boolean> {
  const { execa } = await import('execa');
  const [program, ...args] = openers[process.platform] ?? ['xdg-open'];
  const opener = execa(program, [...args, address], {
    env,
    extendEnv: false,
    stdio: 'ignore',
    detached: true,
    reject: false,
  });
  opener.unref();
  return opener.pid !== undefined;
}
