/** Reads the result of a session from its output: the answer, and the failure by one table for all agents (§5). */
import { firstLine, wholeLine } from '../../core/agents/agent-events.ts';
import { lastJsonObject } from '../../core/agents/agent-output.ts';
import { classifyFailure, failureTable } from '../../core/agents/failure.ts';
import type { FailureKind } from '../../core/agents/failure.ts';
import { agentRetriesMax, answerBytesMax, logDiskBytesMax } from '../../core/limits.ts';
import { parseResetTime } from '../../core/agents/reset-time.ts';
import type { LocalNow } from '../../core/agents/reset-time.ts';
import type { SessionEnd, Unavailable } from '../../core/agents/session.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { messageOf } from '../../core/agents/transcript.ts';
import type { Transcript } from '../../core/agents/transcript.ts';
import { byteLength } from '../../core/text/shorten.ts';
import type { SourceText } from '../../core/types.ts';
import type { Ended, ExecutorSpec } from './executors/spec.ts';
import type { ProcessResult } from '../processes/process.ts';

/** Looking for an object in more than this takes too long; no answer is nearly as long. */
const searchedLengthMax = 1024 * 1024;

/** A file that is there counts, then what the agent gave by schema, then the end of its last message. */
export function readAnswer(spec: ExecutorSpec, { transcript, answerFile, exitCode }: Ended): SourceText {
  if (answerFile.kind !== 'missing') return answerFile;

  const { answer } = transcript;
  const message = messageOf(transcript);
  if (answer !== null) return { kind: 'text', text: answer };

  if (!spec.answersInText || message === null || exitCode !== 0) return answerFile;

  return searchMessage(message, transcript);
}

/**
 * Of a long message only the end: an answer after a long log is found, one that is too long itself is called that. How a message began
 * that was cut is not known; one that ends as an object does, and holds none, is the end of one.
 */
function searchMessage(message: string, { message: whole, isMessageCut, cutBytes }: Transcript): SourceText {
  const end = message.slice(-searchedLengthMax);
  const text = lastJsonObject(end);
  const isWhole = end.length === message.length;
  const isPart =
    text === null
      ? (isMessageCut ? /\}\s*$/ : /^\s*\{/).test(message)
      : /\}/.test(end.slice(end.lastIndexOf(text) + text.length));
  if (!isWhole && isPart)
    return { kind: 'too_large', bytes: cutBytes + byteLength(whole ?? ''), bytesMax: answerBytesMax };

  return text === null ? { kind: 'missing' } : { kind: 'text', text };
}

export interface EndFacts {
  readonly spec: ExecutorSpec;
  /** What helps when it is not logged in, where its login is one of the user's own settings. */
  readonly loginFix: string | null;
  readonly result: ProcessResult;
  readonly ended: Ended;
  /** Whether the session left an answer of its schema. */
  readonly isAnswered: boolean;
  readonly idleSecs: number;
  readonly now: LocalNow;
}

export function judgeSessionEnd(facts: EndFacts): SessionEnd | Unavailable {
  const { spec, result } = facts;
  switch (result.end) {
    case 'interrupted':
      return { kind: 'interrupted', signal: result.interruptSignal ?? 'SIGTERM' };
    case 'deadline':
      return { kind: 'out_of_time', seconds: Math.round(result.durationMs / 1000) };
    case 'answered':
      return { kind: 'exited' };
    case 'not_started':
      return {
        kind: 'failed',
        failure: 'crashed',
        reason: `${whoIs(spec)} could not be started: ${result.startError ?? ''}`,
      };
    case 'hopeless':
      return judgeRetries(facts, `${spec.name} asked its model ${agentRetriesMax} times in vain`);
    case 'idle':
    case 'timeout':
      return judgeRetries(
        facts,
        `${whoIs(spec)} was silent for ${facts.idleSecs} s (agent.idle_timeout_secs)`,
      );
    case 'disk_cap':
      return {
        kind: 'failed',
        failure: 'crashed',
        reason: `${whoIs(spec)} printed more than ${logDiskBytesMax} bytes`,
      };
    case 'exited':
      return judgeExit(facts);
  }
}

/** The last retry message tells an agent that waits for it from one that hangs. */
function judgeRetries(facts: EndFacts, what: string): SessionEnd | Unavailable {
  const { spec, ended } = facts;
  const { retry } = ended.transcript;
  const text = retry?.message ?? spec.lastRetry?.(ended.stderr) ?? '';
  const failure = classifyFailure({ status: retry?.status ?? null, text });
  if (failure === null) return { kind: 'failed', failure: 'silent', reason: what };

  return failureEnd(facts, { failure, reason: `${what} after: ${shownLine(failure, text) ?? ''}`, text });
}

function judgeExit(facts: EndFacts): SessionEnd | Unavailable {
  const { spec, result, ended, isAnswered } = facts;
  const isSound = result.exitCode === 0 && (isAnswered || ended.transcript.error?.fatal !== true);
  if (isSound) return { kind: 'exited' };

  const how = result.signal === null ? `exit code ${result.exitCode}` : `signal ${result.signal}`;
  const plain = `${whoIs(spec)} ended with ${how}`;
  if (isAnswered) return { kind: 'failed', failure: 'crashed', reason: plain };

  const words = lastWords(facts);
  const { text } = words;
  const failure = spec.failure?.(ended) ?? classifyFailure(words) ?? 'crashed';
  const line = shownLine(failure, ended.transcript.error?.fatal === true ? text : lineAbout(failure, text));
  const last = firstLine(text.trimEnd().split('\n').at(-1) ?? '');
  const crash = last === null ? plain : `${plain}: ${last}`;
  const reason = failure === 'crashed' || line === null ? crash : `${spec.name}: ${line}`;
  return failureEnd(facts, { failure, reason, text });
}

/** A program of the user's own has no name that people know it by. */
function whoIs({ name }: ExecutorSpec): string {
  return name === 'command' ? 'the agent' : name;
}

/** Log lines with a time report tools and reconnects; a program's final words have no time in front. */
const logLine = /^\d{4}-\d\d-\d\dT\S+\s+(?:ERROR|WARN|INFO|DEBUG|TRACE)\b/;

/** Why it ended, in its own words: its fatal error, else stderr. Errors it survived do not count, nor does stderr after a kill. */
function lastWords({ result, ended }: EndFacts): { readonly status: number | null; readonly text: string } {
  const { error } = ended.transcript;
  if (error?.fatal === true) return { status: error.status, text: error.message };

  const lines = result.signal === null ? ended.stderr.split('\n') : [];
  return { status: null, text: lines.filter((line) => !logLine.test(line)).join('\n') };
}

/** Of what passes by itself people want every word: until when, and what they can do meanwhile. */
function shownLine(failure: FailureKind, text: string): string | null {
  return failureTable[failure].rule === 'wait' ? wholeLine(text) : firstLine(lineAbout(failure, text));
}

/** The line that says it; all of the text when no single line does. */
function lineAbout(failure: FailureKind, text: string): string {
  const says = (line: string): boolean => classifyFailure({ status: null, text: line }) === failure;
  return text.split('\n').find(says) ?? text;
}

function failureEnd(
  { spec, loginFix, ended, now }: EndFacts,
  told: { readonly failure: FailureKind; readonly reason: string; readonly text: string },
): SessionEnd | Unavailable {
  const { failure, text } = told;
  const reason = cleanLine(told.reason);
  const row = failureTable[failure];
  const own = failure === 'not_logged_in' ? loginFix : null;
  const fix = own ?? spec.fixes[failure] ?? row.fix;
  switch (row.rule) {
    case 'stop':
      return { kind: 'blocked', failure, reason, fix };
    case 'count':
      return { kind: 'failed', failure, reason };
    case 'wait': {
      const stated = ended.transcript.resetAtMs ?? parseResetTime(text, now);
      return { kind: 'unavailable', failure, reason, fix, reset_at_ms: stated };
    }
  }
}
