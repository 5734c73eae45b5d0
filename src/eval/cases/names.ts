/**
 * How the eval harness names things, and which names belong to a case: by the whole name, never by its beginning. It uses no
 * clock and no random numbers; both are passed in.
 */
import type { TrialKey, Variant } from './types.ts';
import { renderUtc } from '../../core/text/utc-text.ts';

export const caseIdPattern = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const batchIdPattern = /^[A-Za-z0-9_-]{1,64}$/;
const stampPattern = String.raw`\d{8}_\d{6}`;
const suffixPattern = '[a-z0-9]{6}';
const runIdPattern = new RegExp(`^eval-${stampPattern}-${suffixPattern}$`);
const workspacePattern = new RegExp(`^(.+)_${stampPattern}_${suffixPattern}$`);
const suffixLetters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const suffixLength = 6;

/** This word selects the newest one, so it cannot be a name. */
export const latestWord = 'latest';

/** What makes a name the only one: when, and six letters by chance. */
export interface NameSeed {
  readonly epochMs: number;
  readonly suffix: string;
}

/** Six letters or digits from as many bytes. Never `latest`: a workspace could then be named like a link. */
export function suffixOf(bytes: Uint8Array): string {
  let suffix = '';
  for (let at = 0; at < suffixLength; at += 1)
    suffix += suffixLetters.charAt((bytes[at] ?? 0) % suffixLetters.length);

  return suffix === latestWord ? 'latesu' : suffix;
}

/** `20260131_235959`, in UTC. */
function renderStamp(epochMs: number): string {
  return renderUtc(epochMs).replaceAll(/[-:Z]/g, '').replace('T', '_');
}

export function workspaceName(case_id: string, { epochMs, suffix }: NameSeed): string {
  return `${case_id}_${renderStamp(epochMs)}_${suffix}`;
}

export function latestLinkName(case_id: string): string {
  return `${case_id}_${latestWord}`;
}

/** The case that a workspace folder belongs to; null for any other name. The part after the id has a fixed shape. */
export function caseOfWorkspace(name: string): string | null {
  return workspacePattern.exec(name)?.[1] ?? null;
}

export function evalRunId({ epochMs, suffix }: NameSeed): string {
  return `eval-${renderStamp(epochMs)}-${suffix}`;
}

export function isEvalRunId(name: string): boolean {
  return runIdPattern.test(name);
}

export function newBatchId({ epochMs, suffix }: NameSeed): string {
  return `${renderStamp(epochMs)}-${suffix}`;
}

export function isCaseId(name: string): boolean {
  return caseIdPattern.test(name);
}

/** `latest` is taken by what it means. */
export function isBatchId(name: string): boolean {
  return batchIdPattern.test(name) && name !== latestWord;
}

const batchSuffix = '.batch.json';

/** A dot cannot be in the id of a case, so no case's folder has such a name. */
export function batchFileName(batch_id: string): string {
  return `${batch_id}${batchSuffix}`;
}

/** Beside the batch's file while somebody works on it. */
export function batchLockName(batch_id: string): string {
  return `${batch_id}.lock`;
}

/** Null when it is no file of a batch. */
export function batchOfFile(name: string): string | null {
  const id = name.slice(0, -batchSuffix.length);
  return name.endsWith(batchSuffix) && isBatchId(id) ? id : null;
}

/** `codex`, `codex:gpt-x`, `codex+max_iterations=9`, `oracle`, `null`, `replay`; `default` is the agent that the case names. */
export function variantLabel({ kind, agent, model, settings }: Variant): string {
  const names = [agent, model].filter((name) => name !== null);
  const typed = Object.entries(settings ?? {}).map(([key, value]) => `+${key}=${value}`);
  switch (kind) {
    case 'agent':
      return (agent === null ? ['default', ...names] : names).join(':') + typed.join('');
    case 'replay':
      return [kind, ...names].join(':') + typed.join('');
    case 'oracle':
    case 'null':
      return kind + typed.join('');
  }
}

/** The label as the name of a folder; different labels give different names. */
export function labelFolder(label: string): string {
  return label.replaceAll(/[^A-Za-z0-9._-]/g, (unit) => {
    const code = unit.charCodeAt(0).toString(16).toUpperCase();
    return code.length > 2 ? `%u${code.padStart(4, '0')}` : `%${code.padStart(2, '0')}`;
  });
}

/** One text for one trial of a batch. */
export function trialKeyText({ case_id, variant, repeat }: TrialKey): string {
  return `${case_id}\n${variantLabel(variant)}\n${repeat}`;
}

/** A batch to look at: its id or `latest`, and the variant behind an `@`; null: all of them. */
export function splitSelector(selector: string): { readonly batch: string; readonly variant: string | null } {
  const at = selector.indexOf('@');
  return at === -1
    ? { batch: selector, variant: null }
    : { batch: selector.slice(0, at), variant: selector.slice(at + 1) };
}
