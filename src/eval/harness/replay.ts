/** Finds the recording a trial replays, and the script that plays it. Changes no recording. */
import { join, resolve } from 'node:path';
import { listDir, loadText } from '../../adapters/files/files.ts';
import { sha256File } from '../../adapters/files/log-cut.ts';
import { labelFolder, variantLabel } from '../cases/names.ts';
import { parseRecording, replayScript } from '../cases/recording-text.ts';
import type { Recording } from '../cases/recording-text.ts';
import type { TrialKey, Variant } from '../cases/types.ts';
import { stateFileBytesMax } from '../../core/limits.ts';
import type { Script } from '../../core/agents/script.ts';

export type FoundRecording =
  | { readonly ok: true; readonly recording: Recording; readonly script: Script }
  | { readonly ok: false; readonly message: string };

/** Where a trial of this variant is recorded, below the folder of all recordings. */
export function recordingPath({ case_id, variant, repeat }: TrialKey): string {
  return join(case_id, labelFolder(variantLabel(variant)), String(repeat));
}

export async function findRecording(recordingsDir: string, key: TrialKey): Promise<FoundRecording> {
  const source = await sourceOf(join(recordingsDir, key.case_id), key.variant);
  if (typeof source === 'string') return { ok: false, message: source };
  const dir = join(recordingsDir, key.case_id, source.folder, String(key.repeat));
  const file = join(dir, 'recording.json');
  const parsed = parseRecording(await loadText(file, { bytesMax: stateFileBytesMax * 16 }));
  if (!parsed.ok) return { ok: false, message: `${file}: ${parsed.message}` };
  for (const { patch, patch_sha256 } of parsed.recording.iterations) {
    if (patch === null) continue;
    const found = await sha256File(join(dir, patch));
    const isOther = patch_sha256 !== undefined && found !== patch_sha256;
    if (found === null) return { ok: false, message: `${join(dir, patch)} is not there` };
    if (isOther) return { ok: false, message: `${join(dir, patch)} is not what was recorded` };
  }
  const script = replayScript(parsed.recording, (name) => resolve(dir, name));
  return { ok: true, recording: parsed.recording, script };
}

/** Whose recording to replay: the named agent's, else that of the case's own agent, else the only one there is. */
async function sourceOf(caseDir: string, variant: Variant): Promise<{ readonly folder: string } | string> {
  const { agent, model, settings } = variant;
  const played = agent === 'oracle' ? 'oracle' : 'agent';
  const named = labelFolder(variantLabel({ ...variant, kind: played }));
  if (agent !== null || model !== null || settings !== undefined) return { folder: named };
  const folders = (await listDir(caseDir)).filter(({ kind }) => kind === 'folder').map(({ name }) => name);
  const [first, ...others] = folders;
  if (first === undefined) return `${caseDir}: there is no recording`;
  if (folders.includes(named)) return { folder: named };
  if (others.length > 0)
    return `${caseDir} holds several recordings (${folders.join(', ')}); name one with --agent or --oracle`;

  return { folder: first };
}
