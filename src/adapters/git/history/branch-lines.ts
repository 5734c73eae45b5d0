/** What the line of a run's branch says (§12): whether a message has a line, and how a file came to be what it is. Reads only. */
import type { GitHistory } from '../../../ports/git-history.ts';
import type { Repo } from '../repo.ts';

/** `base` keeps the walk short: a trailer of ours is never below it. */
export async function hasMessageLine(
  { git }: Repo,
  { line, base }: Parameters<GitHistory['hasMessageLine']>[0],
): Promise<boolean> {
  const range = base === null ? ['HEAD'] : ['HEAD', `^${base}`];
  const format = '--format=%B%x00';
  const { stdout } = await git.run(['log', format, '--fixed-strings', `--grep=${line}`, ...range, '--']);
  return stdout.toString('utf8').split('\n').includes(line);
}

/** Merges count as what they brought to this line. */
export async function listFileVersions(
  { git, prefix }: Repo,
  { path, at }: Parameters<GitHistory['listFileVersions']>[0],
): ReturnType<GitHistory['listFileVersions']> {
  const options = ['--first-parent', '-m', '--reverse', '--raw', '--no-renames', '--no-abbrev'];
  const file = `:(top,literal)${prefix}${path}`;
  const { stdout } = await git.run(['log', ...options, '--format=%x00%s', at, '--', file]);
  return stdout
    .toString('utf8')
    .split('\0')
    .slice(1)
    .flatMap((part) => {
      const [subject = '', ...lines] = part.split('\n');
      // `:<mode> <mode> <old id> <new id> <kind>`, a tab, the path.
      const raw = lines.find((line) => line.startsWith(':'));
      const oid = raw?.split(' ')[3] ?? '';
      return raw === undefined ? [] : [{ subject, oid: /^0*$/u.test(oid) ? null : oid }];
    });
}
