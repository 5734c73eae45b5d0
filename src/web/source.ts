/**
 * Where the pages get their data: from the server, or from the data inside an exported page. Both answer the same way, so no view knows
 * which one it is. Reads only.
 */
import type { IterationFileName } from '../core/views/iteration-files.ts';
import type { ErrorAnswer, ExportedData } from '../core/views/web-api.ts';

/** What could not be had, with the server's words for people. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export type Answer<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Bytes of a file: from `start` on, at most `length`; or with a negative start, the last ones. */
export interface Part {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly total: number;
  /** Identifies the file: the path may hold another one by now. Empty: there is only one. */
  readonly file: string;
}

export interface Source {
  /** Null: live. */
  readonly exported: ExportedData | null;
  readonly load: (path: string) => Promise<Answer<unknown>>;
  readonly loadPart: (path: string, start: number, length: number) => Promise<Answer<Part>>;
}

export const unreachable: Failure = {
  code: 'unreachable',
  message: 'The server of this page does not answer.',
  hint: 'Start it again with: runner ui',
};

function failed(failure: Failure): { readonly kind: 'failed'; readonly failure: Failure } {
  return { kind: 'failed', failure };
}

export async function failureOf(response: Response): Promise<Failure> {
  try {
    const { error } = (await response.json()) as ErrorAnswer;
    return error;
  } catch {
    return {
      code: String(response.status),
      message: `The server answered ${response.status}.`,
      hint: 'Reload the page.',
    };
  }
}

export const serverSource: Source = {
  exported: null,
  load: async (path) => {
    try {
      const response = await fetch(path);
      if (!response.ok) return failed(await failureOf(response));
      return { kind: 'ok', value: await response.json() };
    } catch {
      return failed(unreachable);
    }
  },
  loadPart: async (path, start, length) => {
    try {
      const range = start < 0 ? `bytes=${start}` : `bytes=${start}-${start + length - 1}`;
      const response = await fetch(path, { headers: { range } });
      if (response.status === 416) return { kind: 'ok', value: emptyPart(response.headers) };
      if (!response.ok) return failed(await failureOf(response));
      const bytes = new Uint8Array(await response.arrayBuffer());
      const [, from, total] =
        /bytes (\d+)-\d+\/(\d+)/u.exec(response.headers.get('content-range') ?? '') ?? [];
      return {
        kind: 'ok',
        value: {
          bytes,
          start: Number(from ?? 0),
          total: Number(total ?? bytes.length),
          file: fileOf(response.headers),
        },
      };
    } catch {
      return failed(unreachable);
    }
  },
};

/** The asked bytes are behind the end of the file, or it has none. */
function emptyPart(headers: Headers): Part {
  const total = Number(/\*\/(\d+)/u.exec(headers.get('content-range') ?? '')?.[1] ?? 0);
  return { bytes: new Uint8Array(), start: total, total, file: fileOf(headers) };
}

/** The first word of the server's mark; size and time follow it. */
function fileOf(headers: Headers): string {
  return /^"([^-"]*)/u.exec(headers.get('etag') ?? '')?.[1] ?? '';
}

const notExported: Failure = {
  code: 'not_exported',
  message: 'This is not part of the exported page.',
  hint: 'Look at it in the project with: runner ui',
};

export function exportedSource(data: ExportedData): Source {
  const encoder = new TextEncoder();
  return {
    exported: data,
    load: (path) => {
      const value = exportedValue(data, path);
      return Promise.resolve(value === null ? failed(notExported) : { kind: 'ok', value });
    },
    loadPart: (path, start, length) => {
      const [key, file] = splitFilePath(path);
      const text = data.iterations[key]?.texts[file as IterationFileName]?.text;
      if (text === undefined) return Promise.resolve(failed(notExported));
      const bytes = encoder.encode(text);
      const from = start < 0 ? Math.max(0, bytes.length + start) : start;
      const end = start < 0 ? bytes.length : start + length;
      return Promise.resolve({
        kind: 'ok',
        value: { bytes: bytes.subarray(from, end), start: from, total: bytes.length, file: '' },
      });
    },
  };
}

function exportedValue(data: ExportedData, path: string): unknown {
  switch (path) {
    case '/api/tree':
      return data.tree;
    case '/api/run-state':
      return data.run_state;
    case '/api/status':
      return data.status;
    case '/api/runs':
      return data.runs;
    case '/api/config':
      return data.config;
    case '/api/memory':
      return data.memory;
    case '/api/project':
      return data.project;
    default:
      return data.iterations[splitFilePath(`${path}/`)[0]] ?? null;
  }
}

/** `/api/iterations/<run>/<iter>/<file>` to `<run>/<iter>` and the file. */
function splitFilePath(path: string): readonly [string, string] {
  const [run = '', iter = '', file = ''] = path
    .replace('/api/iterations/', '')
    .split('/')
    .map(decodeURIComponent);
  return [`${run}/${iter}`, file];
}

export function iterationPath(run: string, iter: number): string {
  return `/api/iterations/${encodeURIComponent(run)}/${iter}`;
}

const tailLines = 120;

export function runPath(run: string): string {
  return `/api/runs/${encodeURIComponent(run)}?tail=${tailLines}`;
}

export function filePath(run: string, iter: number, file: IterationFileName): string {
  return `${iterationPath(run, iter)}/${file}`;
}
