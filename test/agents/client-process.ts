/** Which process is at the other end of a connection on this machine, as Linux tells it. Reads only /proc. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A name that no other process ever has; null when the process is gone or may not be looked at. */
export function findClient(port: number): string | null {
  const inode = findInode(port);
  if (inode === null) return null;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  // The newest first: the CLI has only just been started.
  const owner = pids.toSorted((a, b) => Number(b) - Number(a)).find((pid) => holdsSocket(pid, inode));
  return owner === undefined ? null : `${owner} since ${startTime(owner)}`;
}

/** The socket whose own port this is: that of the client, seen from the server. */
function findInode(port: number): string | null {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => tryRead(file).split('\n').slice(1));
  const fields = tables.map((line) => line.trim().split(/\s+/));
  return fields.find((row) => row[1]?.endsWith(end) === true && row[9] !== '0')?.[9] ?? null;
}

function holdsSocket(pid: string, inode: string): boolean {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((fd) => tryLink(`${folder}/${fd}`) === `socket:[${inode}]`);
  } catch {
    return false;
  }
}

function startTime(pid: string): string {
  // The program's name, in brackets, may hold anything.
  return (
    tryRead(`/proc/${pid}/stat`)
      .replace(/^.*\) /s, '')
      .split(' ')[19] ?? ''
  );
}

function tryRead(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function tryLink(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
