/**
 * The changes that pages may ask for. A request is refused before its body is read unless it carries the token and says that it is
 * JSON; what is asked for is done by the composition root.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RunnerError } from '../core/errors.ts';
import type { ActionAnswer } from '../core/views/control-api.ts';
import { controlBodyBytesMax, isJsonType, parseControl, targetOf } from '../core/views/control-request.ts';
import type { ControlRequest } from '../core/views/control-request.ts';
import { openToken } from './access.ts';
import type { Token } from './access.ts';
import { errorAnswer, jsonAnswer } from './answers.ts';
import type { Answer } from './answers.ts';
import type { Control } from './control.ts';
import { requirePlace } from './place.ts';

export interface Actions {
  readonly control: Control;
  readonly token: Token;
  readonly directory: string;
}

export function openActions(control: Control, directory: string): Actions {
  return { control, token: openToken(), directory };
}

/** The header that carries it: a foreign page cannot set one without being asked for leave first. */
const tokenHeader = 'x-runner-token';

export function hasToken({ token }: Actions, request: IncomingMessage): boolean {
  const given = request.headersDistinct[tokenHeader] ?? [];
  return given.length === 1 && token.isEqual(given[0] ?? '');
}

const postOnly: Answer = {
  kind: 'error',
  status: 405,
  code: 'method_refused',
  message: 'this address takes POST only',
  hint: 'docs/ui.md lists the addresses and what they take',
  allow: 'POST',
};

/** Null: nothing of this file's concern. Throws only when the client leaves in the middle of its body. */
export async function answerAction(
  actions: Actions,
  path: string,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<Answer | null> {
  const target = targetOf(path);
  const isPost = request.method === 'POST';
  if (target === null)
    return isPost ? errorAnswer(405, 'method_refused', 'nothing can be changed by this address') : null;

  if (!isPost) return postOnly;
  if (!hasToken(actions, request)) {
    return errorAnswer(
      403,
      'token_required',
      `changes need the token of this server in the header ${tokenHeader}`,
      'open the whole address that runner ui --control printed',
    );
  }
  if (!isJsonType(request.headers['content-type']))
    return errorAnswer(415, 'type_refused', 'the body must be application/json');

  const body = await readBody(request, response);
  if (body === null)
    return errorAnswer(413, 'body_too_large', `a body has at most ${controlBodyBytesMax} bytes`);
  if (!isUtf8(body)) return errorAnswer(400, 'body_refused', 'the body is not UTF-8');
  const parsed = parseControl(target, body.toString('utf8'));
  if (!parsed.ok) return errorAnswer(400, 'body_refused', parsed.problem);
  try {
    return jsonAnswer(await carryOut(actions, parsed.request));
  } catch (error) {
    return answerOfAction(error);
  }
}

async function carryOut({ control, directory }: Actions, request: ControlRequest): Promise<ActionAnswer> {
  const { projectDir } = requirePlace(directory);
  switch (request.kind) {
    case 'start': {
      const { kind: action, ...asked } = request;
      const { run_id } = await control.start(projectDir, asked);
      return { run_id, action, is_queued: false };
    }
    case 'answer': {
      const { kind: action, ...asked } = request;
      const { is_queued } = await control.answer(projectDir, asked);
      return { run_id: request.run_id, action, is_queued };
    }
    case 'cancel':
    case 'pause':
    case 'resume': {
      const { kind: action, run_id } = request;
      await control.act(projectDir, { run_id, action });
      return { run_id, action, is_queued: false };
    }
  }
}

/** Null: too long, and not read to its end. */
async function readBody(request: IncomingMessage, response: ServerResponse): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > controlBodyBytesMax) return null;
  if (request.headers.expect !== undefined) response.writeContinue();
  const pieces: Buffer[] = [];
  let bytes = 0;
  // The connection is still needed for the answer.
  const read = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  for await (const piece of read) {
    bytes += piece.length;
    if (bytes > controlBodyBytesMax) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const drainedBytesMax = 1024 * 1024;

/** A client that is still sending may not see the answer of a connection that is closed; so the rest is read and forgotten. */
export async function drainBody(request: IncomingMessage): Promise<void> {
  // Who waits for leave to send has not sent anything.
  if (request.headers.expect !== undefined) return;
  let bytes = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > drainedBytesMax) return;
  }
}

/** What the runner refuses is the state of the run, not a fault of the server. */
function answerOfAction(error: unknown): Answer {
  if (error instanceof RunnerError) {
    const { code, message, hint } = error;
    return errorAnswer(code === 'USAGE' ? 400 : code === 'INTERNAL' ? 500 : 409, code, message, hint);
  }
  const message = error instanceof Error ? error.message : String(error);
  return errorAnswer(500, 'INTERNAL', message, 'this is a defect of runner; please report it');
}
