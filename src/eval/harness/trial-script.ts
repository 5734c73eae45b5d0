/** The script that replaces the agent in a trial without one: the case's solution, a recording, or answers only. */
import { join, resolve } from 'node:path';
import { replaceFile } from '../../adapters/files/replace-file.ts';
import { renderJson } from '../../core/tree/canonical-json.ts';
import { defaultConfig } from '../../core/config/default-config.ts';
import { idleScript } from '../cases/recording-text.ts';
import type { Recording } from '../cases/recording-text.ts';
import type { HarnessReason } from '../cases/outcome.ts';
import { mapPaths } from '../cases/path-map.ts';
import type { Script } from '../../core/agents/script.ts';
import { findRecording } from './replay.ts';
import { layFiles } from './lay-files.ts';
import type { TrialRoom } from './trial-room.ts';
import type { TrialJob, TrialWorld } from './trial-world.ts';

/** Runs the words behind it and answers for them. */
const solve = [
  'sh',
  '-c',
  `"$@" </dev/null || exit; printf '{"status":"done","summary":"solved","children":null}' > "$RUNNER_OUTPUT"`,
  'sh',
];

/** After so many idle steps nothing more will happen. */
const idleStepsMax = 1000;

export type TrialScript =
  | {
      readonly ok: true;
      /** Null when a program works: an agent, or the case's own solution. */
      readonly script: string | null;
      readonly command?: readonly string[];
      readonly recording: Recording | null;
    }
  | {
      readonly ok: false;
      readonly failure: HarnessReason;
      readonly message: string;
    };

export async function prepareScript(
  { place }: Pick<TrialWorld, 'place'>,
  job: TrialJob,
  room: TrialRoom,
): Promise<TrialScript> {
  const { key, loaded } = job;
  const save = async (script: Script): Promise<string> => {
    const { dir } = room.folder;
    const file = join(dir, 'script.json');
    await replaceFile(file, renderJson(script), { root: dir });
    return file;
  };
  switch (key.variant.kind) {
    case 'agent':
      return { ok: true, script: null, recording: null };
    case 'oracle': {
      const { oracle, id } = loaded.case;
      if (oracle === null)
        return { ok: false, failure: 'oracle_missing', message: `the case '${id}' has no [oracle]` };

      if ('script' in oracle)
        return { ok: true, script: resolve(loaded.file, '..', oracle.script), recording: null };

      const fixtureDir = oracle.fixture === null ? null : resolve(loaded.file, '..', oracle.fixture);
      await layFiles({ fixtureDir, files: {}, to: room.oracleDir, map: room.map });
      const words = oracle.command.map((word) => mapPaths(word, room.map));
      return { ok: true, script: null, command: [...solve, ...words], recording: null };
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
