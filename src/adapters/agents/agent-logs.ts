/** Copies the output and answer of a session from the git folder into the iteration log (§8). After a crash it copies what is there. */
import type { Redactor } from '../../core/text/redact.ts';
import type { SessionRequest } from '../../ports/sessions.ts';
import type { Places } from '../files/clear-way.ts';
import { clearFolders } from '../files/clear-way.ts';
import { composeLog } from '../files/log-cut.ts';
import { lookAt } from '../files/look-at.ts';

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
