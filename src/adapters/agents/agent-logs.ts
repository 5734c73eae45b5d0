/** Copies the output and answer of a session from the git folder into the iteration log (§8). After a crash it copies what is there. */
import type { Usage } from '../../core/agents/session.ts';
import { addEvent, emptyTranscript } from '../../core/agents/transcript.ts';
import { unknownUsage } from '../../core/agents/usage.ts';
import type { Redactor } from '../../core/text/redact.ts';
import type { SessionRequest } from '../../ports/sessions.ts';
import type { Places } from '../files/clear-way.ts';
import { clearFolders } from '../files/clear-way.ts';
import { composeLog } from '../files/log-cut.ts';
import { loadText, saveFile } from '../files/files.ts';
import { lookAt } from '../files/look-at.ts';
import type { ExecutorSpec } from './executors/spec.ts';

/** More than any agent writes to stderr; of a flood nothing is taken out. */
const stderrBytesMax = 64 * 1024 * 1024;

/** What the report of an agent says was used; its lines are taken out of stderr, where people look for errors. */
export async function takeReport(
  { own }: Pick<Places, 'own'>,
  { report }: Pick<ExecutorSpec, 'report'>,
): Promise<Usage> {
  if (report === undefined || !isFile(own.stderr)) return unknownUsage;

  const source = await loadText(own.stderr, { bytesMax: stderrBytesMax });
  if (source.kind !== 'text') return unknownUsage;

  const lines = source.text.split('\n');
  const reported = lines.filter(report.isReport);
  if (reported.length === 0) return unknownUsage;

  const others = lines.filter((line) => !report.isReport(line)).join('\n');
  await saveFile(own.stderr, others, { root: own.gitDir, isDurable: false });
  return reported.flatMap(report.follow).reduce(addEvent, emptyTranscript).usage;
}

/** The answer is copied as it is but for its secrets, valid or not. */
export async function saveSessionLogs(
  places: Places & { readonly redactor: () => Redactor },
  request: Pick<SessionRequest, 'run_id' | 'iter' | 'config' | 'role'> & { readonly answer: string },
): Promise<void> {
  const { place, own } = places;
  const { dir, ...files } = place.iteration(request);
  const isReview = request.role === 'review';
  const log = isReview ? files.reviewLog : files.executorLog;
  const output = isReview ? files.reviewOutput : files.output;
  await clearFolders(dir, places);
  // Synced with the rest of the log: until then the journal says that the session was cut off.
  const limits = {
    root: place.iterationsRoot,
    bytesMax: request.config.executor_output_limit_bytes,
    isDurable: false,
    redactor: places.redactor(),
  };
  if (isFile(own.stdout))
    await composeLog({ stdout: own.stdout, stderr: own.stderr, target: log, ...limits });

  const { answer } = request;
  if (isFile(answer)) await composeLog({ stdout: answer, stderr: null, target: output, ...limits });
}

export function isFile(path: string): boolean {
  return lookAt(path)?.isFile() === true;
}
