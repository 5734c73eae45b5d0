/** Puts text on the clipboard, and says so. A command is shown whole, with a button that copies it; a hint as the steps it has. */
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Words } from './words.tsx';

const saidMs = 2000;

interface CopyProps {
  readonly text: () => string;
  readonly label: string;
  /** What is copied, where the button alone does not say it. */
  readonly what: string;
}

export function CopyButton({ text, label, what }: CopyProps): VNode {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return undefined;
    const timer = setTimeout(() => setState('idle'), saidMs);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = (): void =>
    void putOnClipboard(text()).then((isDone) => setState(isDone ? 'copied' : 'failed'));
  const said = state === 'idle' ? label : state === 'copied' ? 'Copied' : 'Not copied';
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`${said}: ${what}`} title={`Copy ${what}`}>
      {said}
    </button>
  );
}

/** Where the page is not on this machine, the browser has only the old way. */
async function putOnClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.className = 'sr-only';
    document.body.append(field);
    field.select();
    const isDone = document.execCommand('copy');
    field.remove();
    return isDone;
  }
}

interface CommandProps {
  readonly text: string;
  /** What the button copies, where the end is for a person to write. */
  readonly copied?: string;
}

export function Command({ text, copied = text }: CommandProps): VNode {
  return (
    <span class="command">
      <code>
        <Words text={text} max={4000} />
      </code>
      <CopyButton text={() => copied} label="Copy" what={text.slice(0, 200)} />
    </span>
  );
}

interface HintProps {
  readonly text: string;
  readonly commands: readonly string[];
}

const between = /(, then:? )/u;

/** One step after the other, each on a line of its own; read aloud it is the sentence that it is. */
export function Hint({ text, commands }: HintProps): VNode {
  const pieces = text.split(between);
  const steps = pieces.filter((_, index) => index % 2 === 0);
  if (steps.length === 1) {
    return (
      <p class="hint">
        <Step text={text} commands={commands} />
      </p>
    );
  }
  return (
    <ol class="hint steps">
      {steps.map((step, index) => (
        <li key={index}>
          <Step text={step} commands={commands.filter((command) => step.includes(command))} />
          <span class="sr-only">{pieces[2 * index + 1]}</span>
        </li>
      ))}
    </ol>
  );
}

/** Every command in it can be copied. */
function Step({ text, commands }: HintProps): VNode {
  const parts: (string | VNode)[] = [];
  let at = 0;
  for (const [index, command] of commands.entries()) {
    const start = text.indexOf(command, at);
    if (start === -1) continue;
    if (start > at) parts.push(<Between text={text.slice(at, start)} key={`text-${index}`} />);
    parts.push(<Command text={command} key={index} />);
    at = start + command.length;
  }
  if (at < text.length) parts.push(<Words text={text.slice(at)} key="rest" />);
  return <>{parts}</>;
}

/** A comma after a box would hang in the air, or begin a line. */
function Between({ text }: { readonly text: string }): VNode {
  const [, comma = '', rest = ''] = /^(,?)(.*)$/su.exec(text) ?? [];
  return (
    <>
      {comma !== '' && <span class="sr-only">{comma}</span>}
      <Words text={rest} />
    </>
  );
}
