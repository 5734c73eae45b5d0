/** The hidden command that shells ask for cases: id and description, one a line. Whatever is wrong, it says nothing: a person is typing. */
import { join, resolve } from 'node:path';
import { listDir, readText } from '../../adapters/files/files.ts';
import { parseTomlText } from '../../adapters/files/toml-text.ts';
import { isCaseId } from '../../eval/cases/names.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { evalPlace } from '../../eval/harness/place.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';

const caseBytesMax = 1024 * 1024;

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const [prefix = ''] = call.args;
  const { casesDir } = evalPlace({ root: resolve(settings.directory), cases: null });
  const files = await listDir(casesDir).catch(() => []);
  // Only what is offered is read: fixtures may be large.
  const lines = await Promise.all(
    files
      .filter(({ name, kind }) => name.endsWith('.toml') && kind !== 'folder')
      .map(({ name }) => describeCase(join(casesDir, name), prefix).catch(() => '')),
  );
  settings.streams.out(lines.join(''));
  return exitCodes.ok;
}

async function describeCase(file: string, prefix: string): Promise<string> {
  const source = await readText(file, { bytesMax: caseBytesMax });
  const parsed = source.kind === 'text' ? parseTomlText(source.text) : null;
  if (parsed?.ok !== true) return '';
  const { case: table } = parsed.value as Readonly<
    Record<string, Readonly<Record<string, unknown>> | undefined>
  >;
  const { id, description } = table ?? {};
  if (typeof id !== 'string' || !isCaseId(id) || !id.startsWith(prefix)) return '';
  return `${id}\t${typeof description === 'string' ? cleanLine(description) : ''}\n`;
}
