/** Every address of the server as a table. A name in an address is looked up in a listing; it never becomes part of a path. */
import { RunnerError } from '../core/errors.ts';
import type { ErrorCode } from '../core/errors.ts';
import { isIterationFile } from '../core/views/iteration-files.ts';
import { errorAnswer, jsonAnswer } from './answers.ts';
import type { Answer } from './answers.ts';
import type { RunsSource } from './control.ts';
import { requirePlace } from './place.ts';
import {
  findIteration,
  listIterations,
  openLog,
  readIteration,
  readMemory,
  readRunState,
} from './project-reader.ts';
import type { RunsNow, RunsReader } from './runs-reader.ts';
import { sharedWork } from './shared-work.ts';
import type { UiSource } from './source.ts';

export interface RouteContext {
  /** As given: a link is followed again for every request. */
  readonly directory: string;
  readonly source: UiSource;
  readonly runs: RunsReader;
  /** Null: background runs are not shown. */
  readonly control: RunsSource | null;
}

/** A context with the slow, frequently requested parts, each computed once for all requests. */
export interface Routes {
  readonly context: RouteContext;
  readonly shared: Readonly<Record<SharedPath, () => Promise<Answer>>>;
}

type SharedPath = '/api/tree' | '/api/status' | '/api/project' | '/api/runs';

export function openRoutes(context: RouteContext): Routes {
  const { directory, source, runs, control } = context;
  return {
    context,
    shared: {
      '/api/tree': sharedWork(async () => jsonAnswer(source.tree(requirePlace(directory).projectDir))),
      '/api/status': sharedWork(async () =>
        jsonAnswer(await source.status(requirePlace(directory).projectDir)),
      ),
      '/api/project': sharedWork(async () =>
        jsonAnswer(await source.project(requirePlace(directory).projectDir)),
      ),
      '/api/runs': sharedWork(async () => {
        const place = requirePlace(context.directory);
        const answer = await runs.read(place, await nowOf(source, place.projectDir), null);
        if (control === null) return jsonAnswer(answer);
        return jsonAnswer({ ...answer, background: await control.list(place.projectDir) });
      }),
    },
  };
}

interface Asked {
  readonly run: string;
  readonly iter: string;
  readonly file: string;
  readonly query: URLSearchParams;
}

type Route = (routes: Routes, asked: Asked) => Promise<Answer>;

/** By the parts of the path; `{run}`, `{iter}` and `{file}` match any name. */
const table: Readonly<Record<string, Route>> = {
  '/api/health': async () => ({ kind: 'text', text: 'ok' }),
  '/api/tree': ({ shared }) => shared['/api/tree'](),
  '/api/run-state': async ({ context }) => jsonAnswer(readRunState(requirePlace(context.directory))),
  '/api/status': ({ shared }) => shared['/api/status'](),
  '/api/project': ({ shared }) => shared['/api/project'](),
  '/api/config': async ({ context: { directory, source } }) =>
    jsonAnswer(await source.config(requirePlace(directory).projectDir)),
  '/api/iterations': async ({ context }) => jsonAnswer(await listIterations(requirePlace(context.directory))),
  '/api/runs': async ({ context, shared }, { query }) => {
    const { source, runs } = context;
    const run = query.get('run');
    if (run === null) return shared['/api/runs']();
    const place = requirePlace(context.directory);
    const answer = await runs.read(place, await nowOf(source, place.projectDir), run);
    return answer.runs.length === 0 ? notFound('there is no log of this run here') : jsonAnswer(answer);
  },
  '/api/memory': async ({ context }) => jsonAnswer(readMemory(requirePlace(context.directory))),
  '/api/iterations/{run}/{iter}': async ({ context }, asked) => {
    if (!/^[0-9]+$/.test(asked.iter)) return errorAnswer(400, 'bad_request', 'an iteration is a number');
    const layout = requirePlace(context.directory);
    const place = await findIteration(layout, asked);
    if (place === null) return notFound('there is no such iteration here');
    const { open, live } = await nowOf(context.source, layout.projectDir);
    const isOpen = open?.iteration.run_id === place.run_id && open.iteration.iter === place.iter;
    const isLive = (isOpen && open.is_running) || live.has(place.run_id);
    const read = await readIteration(layout, place);
    return jsonAnswer({ ...read, is_running: isLive && read.meta === null });
  },
  '/api/iterations/{run}/{iter}/{file}': async ({ context }, asked) => {
    if (!/^[0-9]+$/.test(asked.iter)) return errorAnswer(400, 'bad_request', 'an iteration is a number');
    const name = isIterationFile(asked.file) ? asked.file : null;
    const layout = requirePlace(context.directory);
    const place = name === null ? null : await findIteration(layout, asked);
    if (name === null || place === null) return notFound('there is no such file here');
    const opened = await openLog(layout, { ...place, name });
    if (opened !== null) return { kind: 'file', ...opened };
    // A guard that did not run has printed nothing.
    return name === 'guard.log' ? { kind: 'text', text: '' } : notFound('there is no such file here');
  },
};

/** Written out here, so that those who share the work share its bytes. */
function notFound(message: string): Answer {
  return errorAnswer(404, 'not_found', message);
}

/** Who is at work is an extra to what the logs say. */
async function nowOf(source: UiSource, projectDir: string): Promise<RunsNow> {
  const open = await source.openWork(projectDir).catch(() => null);
  return { open, live: await source.liveRuns(projectDir).catch(() => new Set<string>()) };
}

/** Null: no address of the API. Never throws. */
export async function answerApi(routes: Routes, path: string, query: string): Promise<Answer | null> {
  const parts = path.split('/');
  const [, api, list, run = '', iter = '', file = ''] = parts;
  const isBelow = api === 'api' && list === 'iterations' && parts.length > 3;
  const key = isBelow ? (belowNames[parts.length] ?? '') : path;
  const route = Object.hasOwn(table, key) ? table[key] : undefined;
  const { control } = routes.context;
  try {
    if (route !== undefined)
      return await route(routes, { run, iter, file, query: new URLSearchParams(query) });
    if (control !== null && api === 'api' && list !== undefined)
      return await answerRuns(routes.context.directory, control, { parts, query });
  } catch (error) {
    return answerOfError(error);
  }
  return api === 'api' ? notFound('there is no such address') : null;
}

const tailLinesUsual = 200;
const tailLinesMax = 1000;

/** What only a server with control shows. */
async function answerRuns(
  directory: string,
  control: RunsSource,
  { parts, query }: { readonly parts: readonly string[]; readonly query: string },
): Promise<Answer> {
  const [, , list, run_id] = parts;
  if (list === 'control' && parts.length === 3)
    return jsonAnswer(await control.proposal(requirePlace(directory).projectDir));
  if (list !== 'runs' || run_id === undefined || parts.length !== 4)
    return notFound('there is no such address');
  const tail = new URLSearchParams(query).get('tail') ?? String(tailLinesUsual);
  if (!/^[0-9]{1,4}$/.test(tail)) return errorAnswer(400, 'bad_request', 'tail is a number of lines');
  const tailLines = Math.min(Number(tail), tailLinesMax);
  const shown = await control.show(requirePlace(directory).projectDir, { run_id, tailLines });
  return shown === null ? notFound('there is no background run of this name') : jsonAnswer(shown);
}

const belowNames: Readonly<Record<number, string>> = {
  5: '/api/iterations/{run}/{iter}',
  6: '/api/iterations/{run}/{iter}/{file}',
};

const missingCodes: readonly ErrorCode[] = ['LAYOUT_MISSING', 'LOG_MISSING', 'RUN_NOT_STARTED', 'USAGE'];

function answerOfError(error: unknown): Answer {
  if (error instanceof RunnerError) {
    const { code, message, hint } = error;
    return errorAnswer(missingCodes.includes(code) ? 404 : 500, code, message, hint);
  }
  const message = error instanceof Error ? error.message : String(error);
  return errorAnswer(500, 'INTERNAL', message, 'this is a defect of runner; please report it');
}
