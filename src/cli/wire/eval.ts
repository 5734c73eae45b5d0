/** The folders of the eval commands, by their shared flags. Creates nothing. */
import { resolve } from 'node:path';
import { realFolder } from '../../adapters/project/workspace.ts';
import { evalPlace, shippedCases } from '../../eval/harness/place.ts';
import type { EvalFolders } from '../../eval/harness/place.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';

const casesHint = '--cases <dir> with a folder that exists; without it the cases are in eval/cases';

/** Throws USAGE when a folder that was named is not there. */
export async function openEval(settings: Settings, call: CommandCall): Promise<EvalFolders> {
  const own = await openOwnEval(settings, call);
  if (call.options['cases'] !== undefined) return own;
  const casesDir = await shippedCases(own.root, settings.entryFile);
  return casesDir === null ? own : { ...own, casesDir };
}

/** For a command that writes cases: never those that ship with the program. Throws USAGE like `openEval`. */
export async function openOwnEval(settings: Settings, { options }: CommandCall): Promise<EvalFolders> {
  const root = await realFolder(settings.directory);
  const { cases } = options;
  const given = typeof cases === 'string' ? await realFolder(resolve(root, cases), casesHint) : null;
  return evalPlace({ root, env: settings.env, cases: given });
}

/** The values of a flag that may be given several times. */
export function listOption({ options }: CommandCall, name: string): readonly string[] {
  const value = options[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** What could not be read, for people. */
export function printWarnings({ streams }: Settings, warnings: readonly string[]): void {
  for (const warning of warnings) streams.err(`warning: ${warning}\n`);
}
