/** Combines the flags of `runner eval run`. Refuses contradictions; reads no file. */
import { agentTraits } from '../core/config/agents.ts';
import { RunnerError } from '../core/errors.ts';
import { isBatchId } from '../eval/cases/names.ts';
import { parseShard } from '../eval/cases/plan.ts';
import type { Shard, Variant } from '../eval/cases/types.ts';
import { suggest } from '../core/text/suggest.ts';
import type { LoadedCases } from '../eval/harness/case-files.ts';
import type { EvalFolders } from '../eval/harness/place.ts';
import type { CommandCall } from './program.ts';
import { listOption } from './wire/eval.ts';

export interface EvalRunOptions {
  readonly ids: readonly string[];
  readonly tags: readonly string[];
  /** Null: no flag selects an agent. */
  readonly variants: readonly Variant[] | null;
  readonly repeats: number | null;
  readonly jobs: number;
  readonly record: boolean;
  readonly shard: Shard | null;
  readonly isResumed: boolean;
  readonly batch_id: string | null;
  readonly minPassRate: number | null;
  readonly ui: boolean;
}

/** The agent that each case names. */
export const caseAgent: Variant = { kind: 'agent', agent: null, model: null };

export function evalRunOptions(call: CommandCall): EvalRunOptions {
  const { options } = call;
  const jobs = numberOption(call, 'jobs') ?? 1;
  const record = options['record'] === true;
  if (record && options['replay'] === true) throw usage('--replay and --record cannot be combined');
  if (options['ui'] === true && jobs > 1) throw usage('--ui and --jobs cannot be combined');
  return {
    ids: call.args,
    tags: listOption(call, 'tag'),
    variants: variantsOf(call),
    repeats: numberOption(call, 'repeat'),
    jobs,
    record,
    shard: shardOf(textOption(call, 'shard')),
    isResumed: options['resume'] === true,
    batch_id: batchOf(textOption(call, 'batch')),
    minPassRate: rateOf(textOption(call, 'minPassRate')),
    ui: options['ui'] === true,
  };
}

function variantsOf(call: CommandCall): readonly Variant[] | null {
  const { options } = call;
  const [isOracle, isNull, isReplay] = ['oracle', 'null', 'replay'].map((name) => options[name] === true);
  const model = textOption(call, 'model');
  if (model === '') throw usage('--model is empty');
  const names = [...new Set(textOption(call, 'agent')?.split(',') ?? [])];
  names.forEach(checkAgent);
  if (isReplay === true && isNull === true) throw usage('--null cannot be replayed');
  const isAgentMeant = names.length > 0 || model !== null;
  if (names.length === 0 && model !== null && (isOracle === true || isNull === true))
    throw usage('--model needs --agent');

  const agents = isAgentMeant ? (names.length === 0 ? [null] : names) : [];
  if (isReplay === true) {
    const sources = [...agents, ...(isOracle === true ? ['oracle'] : [])];
    const wanted = sources.length === 0 ? [null] : sources;
    return wanted.map((agent) => ({ kind: 'replay', agent, model: agent === 'oracle' ? null : model }));
  }
  const variants: readonly Variant[] = [
    ...agents.map((agent): Variant => ({ kind: 'agent', agent, model })),
    ...(isOracle === true ? [{ kind: 'oracle', agent: null, model: null } as const] : []),
    ...(isNull === true ? [{ kind: 'null', agent: null, model: null } as const] : []),
  ];
  return variants.length === 0 ? null : variants;
}

function checkAgent(name: string): void {
  const known = Object.keys(agentTraits);
  if (known.includes(name)) return;
  const near = suggest(name, known);
  throw usage(`there is no agent '${name}'; ${near === null ? known.join(', ') : `did you mean ${near}?`}`);
}

function shardOf(text: string | null): Shard | null {
  if (text === null) return null;
  const shard = parseShard(text);
  if (shard === null) throw usage(`--shard must look like 2/5, not '${text}'`);
  return shard;
}

function batchOf(text: string | null): string | null {
  if (text === null || isBatchId(text)) return text;
  throw usage(`--batch must be up to 64 letters, digits, "_" and "-", and not latest; it is '${text}'`);
}

function rateOf(text: string | null): number | null {
  if (text === null) return null;
  const rate = /^\d(?:\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(rate <= 1)) throw usage(`--min-pass-rate takes a number from 0 to 1, not '${text}'`);
  return rate;
}

function textOption({ options }: CommandCall, name: string): string | null {
  const value = options[name];
  return typeof value === 'string' ? value : null;
}

function numberOption({ options }: CommandCall, name: string): number | null {
  const value = options[name];
  return typeof value === 'number' ? value : null;
}

export function noCase({ casesDir }: EvalFolders, { problems }: LoadedCases): RunnerError {
  return new RunnerError({
    code: 'EVAL_CASE_UNKNOWN',
    message: `no case in ${casesDir} matches`,
    details: problems.flatMap(({ lines }) => lines),
    hint: 'runner eval list',
  });
}

export function usage(message: string): RunnerError {
  return new RunnerError({ code: 'USAGE', message, hint: 'runner eval run --help' });
}
