/** The file of a recorded session: how a real CLI was started, how it ended, and what it printed, line by line. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { RealAgent } from './catalogue.ts';

/** Tests and tools run at the top of the repository. */
export const recordingsFolder = 'test/agents/recordings';

export const fileBytesMax = 60_000;

export interface RecordedSession {
  readonly cli: RealAgent['name'];
  readonly version: string;
  readonly case: string;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly ended_by: 'us' | 'itself';
  readonly requests: number;
  readonly started_at: string;
  readonly lookups: readonly string[];
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly note: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What it left in the answer file; null when it left none. */
  readonly answer: string | null;
}

type Lines = readonly string[];
type Parts = { readonly stdout: Lines; readonly stderr: Lines; readonly answer: Lines | null };

/** `id` is the CLI with its version. */
export function recordingPath(id: string, name: string): string {
  return path.join(recordingsFolder, id, `${name}.json`);
}

export function recordedNames(id: string): readonly string[] {
  return readdirSync(path.join(recordingsFolder, id)).map((file) => path.basename(file, '.json'));
}

export function loadRecording(id: string, name: string): RecordedSession {
  return parseRecording(readFileSync(recordingPath(id, name), 'utf8'));
}

export function parseRecording(text: string): RecordedSession {
  const file = JSON.parse(text) as Omit<RecordedSession, keyof Parts> & Parts;
  const answer = file.answer === null ? null : file.answer.join('\n');
  return { ...file, stdout: file.stdout.join('\n'), stderr: file.stderr.join('\n'), answer };
}

/** A text that ends with a newline has an empty last line. */
export function renderRecording(recorded: RecordedSession): string {
  const parts: Parts = {
    stdout: recorded.stdout.split('\n'),
    stderr: recorded.stderr.split('\n'),
    answer: recorded.answer === null ? null : recorded.answer.split('\n'),
  };
  return `${JSON.stringify({ ...recorded, ...parts }, null, 2)}\n`;
}
