/** The script that replaces the agent in a trial without one: the case's solution, a recording, or answers only. */
import { join, resolve } from 'node:path';
import { replaceFile } from '../../adapters/files/replace-file.ts';
import { renderJson } from '../../core/tree/canonical-json.ts';
import { defaultConfig } from '../../core/config/default-config.ts';
import { idleScript } from '../cases/recording-text.ts';
import type { Recording } from '../cases/recording-text.ts';
import type { EvalReason } from '../cases/types.ts';
import type { Script } from '../../core/agents/script.ts';
import { findRecording } from './replay.ts';
import type { TrialJob, TrialWorld } from './trial-world.ts';

/** After so many idle steps nothing more will happen. */
const idleStepsMax = 1000;

export type TrialScript =
  /** `script` is null when a real agent works. */
  | { readonly ok: true; readonly script: string | null; readonly recording: Recording | null }
  | {
      readonly ok: false;
      readonly failure: Exclude<EvalReason, 'requires_missing'>;
      readonly message: string;
    };

export async function prepareScript(
  { place }: Pick<TrialWorld, 'place'>,
  job: TrialJob,
  resultsDir: string,
): Promise<TrialScript> {
  const { key, loaded } = job;
  const save = async (script: Script): Promise<string> => {
    const file = join(resultsDir, 'script.json');
    await replaceFile(file, renderJson(script), { root: resultsDir });
    return file;
  };
  switch (key.variant.kind) {
    case 'agent':
      return { ok: true, script: null, recording: null };
    case 'oracle': {
      const { oracle, id } = loaded.case;
      if (oracle !== null)
        return { ok: true, script: resolve(loaded.file, '..', oracle.script), recording: null };

      return { ok: false, failure: 'oracle_missing', message: `the case '${id}' has no [oracle]` };
    }
    case 'null': {
      const { max_iterations } = loaded.case.config;
      const steps = typeof max_iterations === 'number' ? max_iterations : defaultConfig.max_iterations;
      return { ok: true, script: await save(idleScript(Math.min(steps, idleStepsMax))), recording: null };
    }
    case 'replay': {
      const found = await findRecording(place.recordingsDir, key);
      if (!found.ok) return { ok: false, failure: 'recording_missing', message: found.message };
      return { ok: true, script: await save(found.script), recording: found.recording };
    }
  }
}
