/** One background run beside the history: what it does now, the end of its progress, and what can be done to it. */
import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { RunAction, RunAnswer, RunView } from '../../core/views/control-api.ts';
import { Board } from '../board.tsx';
import { nowMs } from '../clock.ts';
import { Command, Hint } from '../copy.tsx';
import { token } from '../control.ts';
import { renderDollars, renderMoment, renderMs } from '../format.ts';
import { Badge, Empty, Fact, Failed, Loading } from '../parts.tsx';
import { hrefOf } from '../routes.ts';
import { useRun } from '../store.ts';
import { Prose, Words } from '../words.tsx';
import { QuestionList } from './question-list.tsx';
import { Refused } from './refused.tsx';
import { useAction } from './use-action.ts';

export function RunDrawer({ run }: { readonly run: string }): VNode {
  const { value, failure } = useRun(run);
  return (
    <aside class="drawer card" aria-label={`Run ${run}`}>
      <header class="card-head">
        <h2>
          <Words text={value?.run.title || run} max={200} />
        </h2>
        <a href={hrefOf({ page: 'runs', run: null })}>close</a>
      </header>
      {value === null ? (
        failure === null ? (
          <Loading />
        ) : (
          <Failed failure={failure} />
        )
      ) : (
        <Open shown={value} />
      )}
    </aside>
  );
}

function Open({ shown }: { readonly shown: RunAnswer }): VNode {
  const { run, tail, leaves, questions } = shown;
  return (
    <>
      <p class="run-status">
        <Badge name={run.status} /> <RunReason run={run} />
      </p>
      {run.situation !== null && <Hint text={run.situation.hint} commands={run.situation.commands} />}
      <Actions run={run} />
      <RunFacts run={run} />
      {run.last_message !== null && (
        <section class="run-part">
          <h3>Last message</h3>
          <Prose text={run.last_message} max={2000} />
        </section>
      )}
      {run.finish_command !== null && <FinishCommand command={run.finish_command} />}
      <section class="run-part">
        <h3>Progress</h3>
        <Tail lines={tail} />
      </section>
      {questions.length > 0 && (
        <section class="run-part">
          <h3>Questions</h3>
          <QuestionList questions={questions} run={run.run_id} />
        </section>
      )}
      {leaves.length > 0 && (
        <section class="run-part">
          <h3>Board</h3>
          <Board leaves={leaves} hrefOfLeaf={null} />
        </section>
      )}
      <History run={run} />
    </>
  );
}

/** Why it is as it is: while it rests the sentence, else the word of its record. */
export function RunReason({ run: { reason, situation } }: { readonly run: RunView }): VNode | null {
  const text = situation?.sentence ?? reason;
  return text === null ? null : (
    <span class="run-reason">
      <Words text={text} max={1000} />
    </span>
  );
}

const actionTexts: Readonly<Record<RunAction, readonly [string, string]>> = {
  cancel: ['Cancel', 'Canceling …'],
  pause: ['Pause', 'Pausing …'],
  resume: ['Resume', 'Resuming …'],
};

function Actions({ run }: { readonly run: RunView }): VNode | null {
  const { isBusy, failure, act } = useAction();
  if (token.value === null) return null;
  return (
    <div class="run-buttons">
      {run.actions.map((action) => (
        <button
          key={action}
          type="button"
          disabled={isBusy}
          onClick={() => void act(`/api/runs/${encodeURIComponent(run.run_id)}/${action}`, {})}
        >
          {actionTexts[action][isBusy ? 1 : 0]}
        </button>
      ))}
      <Refused failure={failure} />
    </div>
  );
}

function RunFacts({ run }: { readonly run: RunView }): VNode {
  const { iterations, leaves, node } = run;
  return (
    <dl class="facts">
      <Fact name="iterations">
        <span class="number">{iterations.used}</span>
        {iterations.max > 0 && <span class="muted number"> of {iterations.max}</span>}
      </Fact>
      <Fact name="leaves">
        <span class="number">
          {leaves.passed} of {leaves.all}
        </span>
      </Fact>
      <Fact name="time">
        <span class="number">{renderRunTime(run, nowMs.value)}</span>
      </Fact>
      <Fact name="cost">{run.cost_usd === null ? '–' : renderDollars(run.cost_usd)}</Fact>
      <Fact name="agent">
        <Words text={[run.agent, run.model ?? ''].join(' ').trim() || '–'} max={100} />
      </Fact>
      <Fact name="sandbox">
        <Words text={run.sandbox || '–'} max={60} />
      </Fact>
      <Fact name="branch">
        <span class="mono">
          <Words text={run.branch} max={140} />
        </span>
      </Fact>
      {node !== null && (
        <Fact name="node">
          <Words text={node.title || node.id} max={200} />
        </Fact>
      )}
    </dl>
  );
}

/** From its beginning to its end, or to now. */
export function renderRunTime(
  { started_at, finished_at, is_alive, updated_at }: RunView,
  now: number,
): string {
  const end = is_alive ? now : Date.parse(finished_at ?? updated_at);
  const ms = end - Date.parse(started_at);
  return Number.isNaN(ms) ? '–' : renderMs(Math.max(0, ms));
}

export function FinishCommand({ command }: { readonly command: string }): VNode {
  return (
    <p class="run-finish">
      <span class="muted">To merge it:</span> <Command text={command} />
    </p>
  );
}

function Tail({ lines }: { readonly lines: readonly string[] }): VNode {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [lines]);
  const look = (): void => {
    const element = box.current;
    if (element !== null)
      isAtEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - 24;
  };
  if (lines.length === 0) return <Empty title="Nothing yet" />;
  return (
    <div ref={box} class="tail mono" role="log" aria-label="Progress of the run" tabIndex={0} onScroll={look}>
      {lines.map((line, index) => (
        <p key={index}>
          <Words text={line} max={1000} />
        </p>
      ))}
    </div>
  );
}

function History({ run }: { readonly run: RunView }): VNode {
  return (
    <section class="run-part">
      <h3>History</h3>
      {run.errors.length > 0 && (
        <ul class="run-errors">
          {run.errors.slice(-5).map((error, index) => (
            <li key={index}>
              <Words text={error} max={500} />
            </li>
          ))}
        </ul>
      )}
      <ul class="run-audit muted">
        {run.audit.map(({ at, action, by }, index) => (
          <li key={index}>
            {renderMoment(at)} {action} by {by}
          </li>
        ))}
      </ul>
      <p>
        <a href={hrefOf({ page: 'iterations', run: run.run_id, node: '', status: '' })}>iterations</a>
      </p>
    </section>
  );
}
