/** Settings of the repository that decide how we may work with it, asked once in a process. */
import type { Repo } from './repo.ts';
import { splitNul } from './status.ts';

export interface GitSetup {
  readonly isSparse: boolean;
  /** Objects and index files may be written without git: nothing says who else must be able to read them. */
  readonly isPlain: boolean;
  /** Length of an object id. */
  readonly idBytes: number;
}

const asked = String.raw`^(core\.(sparsecheckout|sharedrepository)|extensions\.objectformat)$`;

export async function loadSetup(repo: Repo): Promise<GitSetup> {
  return (repo.memory.setup ??= await readSetup(repo));
}

async function readSetup(repo: Repo): Promise<GitSetup> {
  const { stdout } = await repo.git(['config', '-z', '--get-regexp', asked], { accept: [1] });
  // `name LF value`; without a line break it is a switch that is on. The last one counts.
  const settings = new Map(
    splitNul(stdout).map((record) => {
      const text = record.toString('utf8');
      const end = text.indexOf('\n');
      return end === -1 ? [text, 'true'] : [text.slice(0, end), text.slice(end + 1).toLowerCase()];
    }),
  );
  const shared = settings.get('core.sharedrepository') ?? 'umask';
  return {
    isSparse: isOn(settings.get('core.sparsecheckout') ?? 'false'),
    isPlain: shared === 'umask' || !isOn(shared),
    idBytes: settings.get('extensions.objectformat') === 'sha256' ? 32 : 20,
  };
}

/** As git reads a switch; whatever else it may be counts as on. */
function isOn(value: string): boolean {
  return !/^(?:|false|no|off|0+)$/.test(value);
}
