/** The answers of routes and how they are sent. Every answer, errors included, has headers that keep foreign pages out. */
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { parseRange } from '../core/text/byte-range.ts';
import type { ErrorAnswer } from '../core/views/web-api.ts';

export type Answer =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly hint: string;
      /** Of a 405: what the address takes; else GET and HEAD. */
      readonly allow?: string;
    }
  /** A file that may grow meanwhile; its first `bytes` bytes count. The sender closes the handle. */
  | { readonly kind: 'file'; readonly handle: FileHandle; readonly bytes: number; readonly etag: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly type: string }
  | { readonly kind: 'moved'; readonly location: string; readonly cookie: string }
  | { readonly kind: 'empty' };

const contentPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

export const fixedHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

export function jsonAnswer(value: unknown): Answer {
  return { kind: 'bytes', type: jsonType, bytes: Buffer.from(JSON.stringify(value)) };
}

export function errorAnswer(status: number, code: string, message: string, hint = ''): Answer {
  return { kind: 'error', status, code, message, hint };
}

export function renderError(error: Extract<Answer, { readonly kind: 'error' }>): string {
  const { code, message, hint } = error;
  const value: ErrorAnswer = { error: { code, message, hint } };
  return `${JSON.stringify(value)}\n`;
}

export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): Promise<void> {
  switch (answer.kind) {
    case 'text':
      return sendBytes(request, response, { type: textType, bytes: Buffer.from(answer.text) });
    case 'bytes':
      return sendBytes(request, response, answer);
    case 'error':
      return sendError(request, response, answer);
    case 'file':
      return sendFile(request, response, answer);
    case 'moved':
      response.writeHead(303, {
        location: answer.location,
        'set-cookie': answer.cookie,
        'content-length': 0,
      });
      response.end();
      return undefined;
    case 'empty':
      response.writeHead(204);
      response.end();
      return undefined;
  }
}

const jsonType = 'application/json; charset=utf-8';
const textType = 'text/plain; charset=utf-8';

function sendBytes(
  request: IncomingMessage,
  response: ServerResponse,
  { type, bytes }: { readonly type: string; readonly bytes: Uint8Array },
): void {
  response.writeHead(200, { 'content-type': type, 'content-length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: Extract<Answer, { readonly kind: 'error' }>,
): void {
  const text = renderError(error);
  response.writeHead(error.status, {
    'content-type': jsonType,
    'content-length': Buffer.byteLength(text),
    ...(error.status === 405 ? { allow: error.allow ?? 'GET, HEAD' } : {}),
    ...(error.status === 503 ? { 'retry-after': '5' } : {}),
    // Whatever else the client may have sent along is not read.
    ...(error.status === 404 ? {} : { connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}

/** Only the part that is asked for is read, and never more of it at once than the connection takes. */
async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  { handle, bytes, etag }: Extract<Answer, { readonly kind: 'file' }>,
): Promise<void> {
  try {
    const ifRange = request.headers['if-range'];
    // Of an empty file no range can be had; the whole of it says the same without an error.
    const isStale = bytes === 0 || (ifRange !== undefined && ifRange !== etag);
    const range = parseRange(isStale ? null : (request.headers['range'] ?? null), bytes);
    const common = { 'content-type': textType, 'accept-ranges': 'bytes', etag };
    if (range.kind === 'none') {
      response.writeHead(416, { ...common, 'content-range': `bytes */${bytes}`, 'content-type': jsonType });
      const text = renderError({
        kind: 'error',
        status: 416,
        code: 'range_refused',
        message: `the file has ${bytes} bytes`,
        hint: 'ask for a part of it: Range: bytes=-65536',
      });
      response.end(request.method === 'HEAD' ? undefined : text);
      return;
    }
    if (range.kind === 'all' && request.headers['if-none-match'] === etag) {
      response.writeHead(304, common);
      response.end();
      return;
    }
    const { start, end } = range.kind === 'all' ? { start: 0, end: bytes - 1 } : range;
    response.writeHead(range.kind === 'all' ? 200 : 206, {
      ...common,
      'content-length': end - start + 1,
      ...(range.kind === 'all' ? {} : { 'content-range': `bytes ${start}-${end}/${bytes}` }),
    });
    if (request.method === 'HEAD' || end < start) {
      response.end();
      return;
    }
    // A file that became shorter meanwhile ends too early: then the connection is closed, and the client sees that.
    const stream = handle.createReadStream({ start, end, autoClose: false });
    await pipeline(stream, response, { end: false });
    if (stream.bytesRead === end - start + 1) response.end();
    else response.destroy();
  } finally {
    await handle.close();
  }
}
