/** Entry of the pages: the frame around them, navigation, the state of the connection, and the list of keys. */
import { signal } from '@preact/signals';
import { render } from 'preact';
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ProjectAnswer, StatusAnswer } from '../core/views/web-api.ts';
import { nowMs, startClock } from './clock.ts';
import { isHelpOpen, keyTexts, watchKeys } from './keys.ts';
import { announcement, connection, followServer } from './live.ts';
import { takeToken } from './control.ts';
import { IterationPage } from './iteration/page-iteration.tsx';
import { IterationsPage } from './iteration/page-iterations.tsx';
import { MemoryPage } from './page-memory.tsx';
import { NodePage } from './tree/page-node.tsx';
import { NowPage } from './page-now.tsx';
import { RunsPage } from './page-runs.tsx';
import { TreePage } from './tree/page-tree.tsx';
import { renderMoment } from './format.ts';
import { titleOfTab } from './current.ts';
import { pageNames, parseAddress } from './routes.ts';
import type { Route } from './routes.ts';
import { source, troubles, useProject, useStatus } from './store.ts';
import { applyTheme, switchTheme, theme } from './theme.ts';
import { Line, Words } from './words.tsx';

takeToken();
const route = signal<Route>(parseAddress(location));

function Page(): VNode {
  const now = route.value;
  switch (now.page) {
    case 'now':
      return <NowPage />;
    case 'tree':
      return <TreePage route={now} />;
    case 'iterations':
      return <IterationsPage route={now} />;
    case 'iteration':
      return <IterationPage route={now} />;
    case 'node':
      return <NodePage id={now.id} />;
    case 'memory':
      return <MemoryPage />;
    case 'runs':
      return <RunsPage run={now.run} />;
  }
}

/** Which entry of the menu a page belongs to. */
const homes: Readonly<Record<Route['page'], (typeof pageNames)[number]>> = {
  now: 'now',
  tree: 'tree',
  node: 'tree',
  iterations: 'iterations',
  iteration: 'iterations',
  memory: 'memory',
  runs: 'runs',
};

/** Their first heading is in sight. */
const ownHeading: readonly Route['page'][] = ['now', 'iteration', 'node'];

const connectionTexts = {
  exported: 'exported',
  connecting: 'connecting',
  live: 'connected',
  still: 'not followed',
  lost: 'connection lost, trying again',
} as const;

function App(): VNode {
  const { page } = route.value;
  const { value: status } = useStatus();
  const { value: project } = useProject();
  useEffect(() => {
    document.title = titleOfTab(status, titleOf(route.value), project);
  }, [route.value, status, project]);
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the page
      </a>
      <header class="top">
        <a class="brand" href="#/now">
          runner
        </a>
        <nav class="menu" aria-label="Pages">
          {pageNames.map((name) => (
            <a key={name} href={`#/${name}`} aria-current={homes[page] === name ? 'page' : undefined}>
              {name[0]?.toUpperCase()}
              {name.slice(1)}
            </a>
          ))}
        </nav>
        <span class="spring" />
        <About project={project} status={status} />
        {status !== null && page !== 'now' && <State status={status} />}
        <span
          class={connection.value === 'live' ? 'sr-only' : `connection is-${connection.value}`}
          role="status"
          data-connection={connection.value}
        >
          {connectionTexts[connection.value]}
        </span>
        <button
          type="button"
          onClick={switchTheme}
          aria-label={`Colours: ${theme.value}`}
          title={`Colours: ${theme.value}`}
        >
          {theme.value === 'dark' ? '☾' : theme.value === 'light' ? '☀' : '◐'}
        </button>
        <button type="button" onClick={() => (isHelpOpen.value = true)} aria-label="Keys" title="Keys">
          ?
        </button>
      </header>
      {source.exported !== null && <ExportNote />}
      <main id="main" tabIndex={-1}>
        {ownHeading.includes(page) ? null : <h1 class="sr-only">{titleOf(route.value)}</h1>}
        <Page />
      </main>
      <p class="sr-only" aria-live="polite">
        {announcement.value}
      </p>
      <Troubles />
      <Help />
    </>
  );
}

/** How the run is, on the pages that do not begin with it. */
function State({ status: { situation } }: { readonly status: StatusAnswer }): VNode {
  return (
    <a class="top-state" href="#/now">
      <span class={`lamp is-${situation.state}`} aria-hidden="true" /> {situation.title}
    </a>
  );
}

/** What the run is about and where it works, on every page. */
function About({
  project,
  status,
}: {
  readonly project: ProjectAnswer | null;
  readonly status: StatusAnswer | null;
}): VNode {
  const { goal_title = '', folder = '' } = project ?? {};
  const { branch = null, run_id = null } = status ?? {};
  // The branch of a run is called after it.
  const run = run_id === null || branch === `runner/${run_id}` ? null : run_id;
  const place = [folder, branch, run].filter((part) => part !== null && part !== '').join(' · ');
  return (
    <span class="top-about" title={[goal_title, place].filter((part) => part !== '').join(' · ')}>
      {goal_title !== '' && <Line text={goal_title} max={200} />}
      <span class="muted top-place">
        <Line text={place} max={200} />
      </span>
    </span>
  );
}

function titleOf(now: Route): string {
  if (now.page === 'iteration') return `Iteration ${now.iter}`;
  if (now.page === 'node') return now.id.slice(0, 60);
  if (now.page === 'runs' && now.run !== null) return now.run.slice(0, 60);
  return `${now.page[0]?.toUpperCase() ?? ''}${now.page.slice(1)}`;
}

/** The address of the page must stay. */
function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

function ExportNote(): VNode {
  const { exported } = source;
  return (
    <details class="export-note">
      <summary>
        Exported {renderMoment(exported?.exported_at ?? '')}, as it was then
        {exported !== null && exported.cuts.length > 0
          ? `; ${exported.cuts.length === 1 ? '1 thing was' : `${exported.cuts.length} things were`} cut or left out`
          : ''}
      </summary>
      <ul>
        {exported?.cuts.map((cut, index) => (
          <li key={index}>
            <Words text={cut} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Above the page, so that nothing on it moves. One bad file may affect several answers; it is reported once. */
function Troubles(): VNode | null {
  const told = new Map([...troubles.value.values()].map((failure) => [failure.code, failure]));
  if (told.size === 0) return null;
  return (
    <div class="troubles" role="alert">
      {[...told.values()].map(({ code, message, hint }) => (
        <p key={code}>
          <Words text={message} max={500} />
          {hint !== '' && (
            <>
              {' '}
              (<Words text={hint} max={200} />)
            </>
          )}
        </p>
      ))}
      <p class="muted">What is shown is from before.</p>
    </div>
  );
}

function Help(): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isHelpOpen.value) dialog.current?.showModal();
  }, [isHelpOpen.value]);
  const close = (): void => {
    isHelpOpen.value = false;
    dialog.current?.close();
  };
  return (
    <dialog ref={dialog} aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {keyTexts.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={close}>
        Close
      </button>
    </dialog>
  );
}

/** A link to a hash leaves the path as it is; only background runs have one. */
function followAddress(): void {
  const { pathname, hash } = location;
  if (source.exported === null && pathname !== '/' && hash.startsWith('#/'))
    history.replaceState(null, '', `/${hash}`);

  const before = route.value;
  route.value = parseAddress(location);
  if (before.page !== route.value.page) leaveMenu();
}

/** Its keys are those of the page, not of the link that led there. A page that wants the focus for itself takes it from here. */
function leaveMenu(): void {
  const focused = document.activeElement;
  if (focused === null || focused.closest('main') === null)
    document.getElementById('main')?.focus({ preventScroll: true });
}

window.addEventListener('hashchange', followAddress);
window.addEventListener('popstate', followAddress);
applyTheme();
// What was exported does not go on.
if (source.exported === null) startClock();
else nowMs.value = Date.parse(source.exported.exported_at);
watchKeys();
followServer();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
