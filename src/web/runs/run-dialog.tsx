/** The dialog for a new background run. What decides about safety (sandbox, setup) is shown and cannot be changed here. */
import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { ControlAnswer } from '../../core/views/control-api.ts';
import type { ConfigAnswer } from '../../core/views/web-api.ts';
import { Loading } from '../parts.tsx';
import { hrefOf } from '../routes.ts';
import { markChanged, useConfig, useControl } from '../store.ts';
import { Words } from '../words.tsx';
import { firstDraft, proposalOf, renderSetting, requestOf } from './draft.ts';
import type { Draft } from './draft.ts';
import { Refused } from './refused.tsx';
import { useAction } from './use-action.ts';

/** The agents that can work by themselves; `command` and `scripted` need further settings, which are in config.toml. */
const agents = ['codex', 'claude', 'opencode', 'gemini', 'qwen', 'copilot', 'pi', 'droid'] as const;

export function RunDialog({ onClose }: { readonly onClose: () => void }): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const { value: control } = useControl(true);
  const { value: config } = useConfig();
  useEffect(() => {
    dialog.current?.showModal();
    markChanged((path) => path === '/api/control');
  }, []);
  return (
    <dialog ref={dialog} class="run-dialog" aria-labelledby="run-dialog-title" onClose={onClose}>
      <h2 id="run-dialog-title">New run</h2>
      {control === null || config === null ? (
        <Loading />
      ) : (
        <RunForm control={control} config={config} onClose={() => dialog.current?.close()} />
      )}
    </dialog>
  );
}

interface RunFormProps {
  readonly control: ControlAnswer;
  readonly config: ConfigAnswer;
  readonly onClose: () => void;
}

function RunForm({ control, config, onClose }: RunFormProps): VNode {
  // Settings that change meanwhile do not take away what was typed.
  const [first] = useState(() => firstDraft(control, config));
  const [draft, setDraft] = useState(first);
  const { isBusy, failure, act } = useAction();
  const proposal = proposalOf(draft, control);
  const submit = async (): Promise<void> => {
    const started = await act('/api/runs/start', requestOf(draft, first, proposal));
    if (started === null) return;
    onClose();
    location.hash = hrefOf({ page: 'runs', run: started.run_id });
  };
  return (
    <form
      class="run-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <RunFields
        draft={draft}
        proposal={proposal}
        configured={first.agent}
        change={(part) => setDraft({ ...draft, ...part })}
      />
      <dl class="facts">
        <ShownSetting name="sandbox" value={renderSetting(config, 'sandbox.kind') || 'none'} />
        <ShownSetting name="setup" value={renderSetting(config, 'automation.setup') || 'none'} />
        <ShownSetting name="guard" value={renderSetting(config, 'guard.command')} />
      </dl>
      <p class="muted">Sandbox, setup and guard are settings of the project.</p>
      <Refused failure={failure} />
      <div class="run-buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? 'Starting …' : 'Start'}
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </form>
  );
}

interface RunFieldsProps {
  readonly draft: Draft;
  readonly proposal: string;
  readonly configured: string;
  readonly change: (part: Partial<Draft>) => void;
}

function RunFields({ draft, proposal, configured, change }: RunFieldsProps): VNode {
  return (
    <>
      <Field label="Goal">
        <textarea
          rows={7}
          required
          value={draft.goal}
          onInput={(event) => change({ goal: event.currentTarget.value })}
        />
      </Field>
      <Field label="Branch" before="runner/">
        <input
          type="text"
          pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
          title="letters, digits, dot, dash and underscore"
          value={draft.name ?? proposal}
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
      </Field>
      <div class="run-fields">
        <Field label="Agent">
          <select value={draft.agent} onChange={(event) => change({ agent: event.currentTarget.value })}>
            {[...new Set([configured, ...agents])].map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Field>
        <Field label="Model">
          <input
            type="text"
            placeholder="the agent's own"
            value={draft.model}
            onInput={(event) => change({ model: event.currentTarget.value })}
          />
        </Field>
        <Field label="Iterations">
          <input
            type="number"
            min={1}
            max={1_000_000}
            required
            value={draft.iterations}
            onInput={(event) => change({ iterations: event.currentTarget.value })}
          />
        </Field>
      </div>
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly before?: string;
  readonly children: ComponentChildren;
}

function Field({ label, before, children }: FieldProps): VNode {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <span class="field-input">
        {before !== undefined && <span class="muted mono">{before}</span>}
        {children}
      </span>
    </label>
  );
}

function ShownSetting({ name, value }: { readonly name: string; readonly value: string }): VNode {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd class="mono">
        <Words text={value} max={300} />
      </dd>
    </div>
  );
}
