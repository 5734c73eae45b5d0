/** The address of every view, as a hash and back. Pure; an unknown address leads to the first page. */

export const pageNames = ['now', 'tree', 'iterations', 'memory', 'runs'] as const;

export const tabNames = ['summary', 'prompt', 'activity', 'guard', 'diff', 'tree', 'log', 'meta'] as const;

export type TabName = (typeof tabNames)[number];

export const treeViews = ['drawing', 'list', 'board'] as const;

export type TreeView = (typeof treeViews)[number];

export interface IterationRoute {
  readonly page: 'iteration';
  readonly run: string;
  readonly iter: number;
  readonly tab: TabName;
  /** A line of the log that the tab shows, from 1. */
  readonly line?: number;
  /** Which of the guard's logs it shows. */
  readonly file?: string;
}

export type Route =
  | { readonly page: 'now' }
  /** `view`: null is the one that fits the screen. */
  | { readonly page: 'tree'; readonly node: string | null; readonly view: TreeView | null }
  | { readonly page: 'iterations'; readonly run: string; readonly node: string; readonly status: string }
  | IterationRoute
  | { readonly page: 'node'; readonly id: string }
  | { readonly page: 'memory' }
  /** `run`: the background run that is open; null: none. */
  | { readonly page: 'runs'; readonly run: string | null };

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/u, '').split('?', 2);
  const [page = '', first = '', second = '', third = ''] = path.split('/').map(decode);
  const params = new Map(
    query
      .split('&')
      .map((pair) => pair.split('=', 2))
      .map(([key = '', value = '']) => [decode(key), decode(value)]),
  );
  const param = (name: string): string => params.get(name) ?? '';
  switch (page) {
    case 'tree':
      return {
        page,
        node: param('node') || null,
        view: treeViews.find((view) => view === param('view')) ?? null,
      };
    case 'iterations':
      return { page, run: param('run'), node: param('node'), status: param('status') };
    case 'iteration': {
      const iter = Number(second);
      if (first === '' || !Number.isSafeInteger(iter) || iter < 1) break;
      const tab = tabNames.find((name) => name === third) ?? 'summary';
      const line = Number(param('line'));
      return {
        page,
        run: first,
        iter,
        tab,
        ...(Number.isSafeInteger(line) && line > 0 ? { line } : {}),
        ...(param('file') === '' ? {} : { file: param('file') }),
      };
    }
    case 'node':
      if (first === '') break;
      return { page, id: first };
    case 'memory':
      return { page };
    case 'runs':
      return { page, run: first || null };
    default:
  }
  return { page: 'now' };
}

/** Background runs have addresses of their own, as paths; everything else is in the hash. */
export function parseAddress({
  pathname,
  hash,
}: {
  readonly pathname: string;
  readonly hash: string;
}): Route {
  const [, name = null] = /^\/runs(?:\/([^/]+))?$/u.exec(pathname) ?? [];
  const isRuns = pathname === '/runs' || name !== null;
  return isRuns && !hash.startsWith('#/') ? { page: 'runs', run: name && decode(name) } : parseRoute(hash);
}

export function pathOfRun(run: string | null): string {
  return run === null ? '/runs' : `/runs/${encode(run)}`;
}

export function hrefOf(route: Route): string {
  switch (route.page) {
    case 'tree':
      return `#/tree${renderQuery({ node: route.node ?? '', view: route.view ?? '' })}`;
    case 'iterations':
      return `#/iterations${renderQuery({ run: route.run, node: route.node, status: route.status })}`;
    case 'iteration': {
      const tab = route.tab === 'summary' ? '' : `/${route.tab}`;
      const query = renderQuery({ file: route.file ?? '', line: String(route.line ?? '') });
      return `#/iteration/${encode(route.run)}/${route.iter}${tab}${query}`;
    }
    case 'node':
      return `#/node/${encode(route.id)}`;
    case 'runs':
      return route.run === null ? '#/runs' : `#/runs/${encode(route.run)}`;
    case 'now':
    case 'memory':
      return `#/${route.page}`;
  }
}

/** Another part of the same iteration. */
export function hrefOfTab(
  { page, run, iter }: IterationRoute,
  tab: TabName,
  at: Pick<IterationRoute, 'file' | 'line'> = {},
): string {
  return hrefOf({ page, run, iter, tab, ...at });
}

export function hrefOfNode(id: string): string {
  return hrefOf({ page: 'node', id });
}

function renderQuery(params: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(params).filter(([, value]) => value !== '');
  return pairs.length === 0 ? '' : `?${pairs.map(([key, value]) => `${key}=${encode(value)}`).join('&')}`;
}

/** A lone surrogate has no encoding. */
function encode(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\uFFFD'));
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
