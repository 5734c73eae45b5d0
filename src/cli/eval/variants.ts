/** The variants that the flags of `runner eval run` ask for: agents, models, settings, the oracle, nobody. Refuses contradictions. */
import { parseTomlText } from '../../adapters/files/toml-text.ts';
import { agentTraits } from '../../core/config/agents.ts';
import { configSchema } from '../../core/config/config-schema.ts';
import { checkKey, editSetting } from '../../core/config/setting-list.ts';
import { RunnerError } from '../../core/errors.ts';
import { suggest } from '../../core/text/suggest.ts';
import type { Variant } from '../../eval/cases/types.ts';
import { crossSettings, crossVariants, parseChoice } from '../../eval/cases/variants.ts';
import type { SettingChoice } from '../../eval/cases/variants.ts';
import type { CommandCall } from '../program.ts';
import { listOption } from '../wire/eval.ts';

/** The agent that each case names. */
export const caseAgent: Variant = { kind: 'agent', agent: null, model: null };

const commandAgent = 'command';

/** Null: no flag selects an agent or a setting. */
export function variantsOf(call: CommandCall): readonly Variant[] | null {
  const choices = settingChoices(call);
  const chosen = chosenVariants(call);
  if (chosen === null && choices.length === 0) return null;
  return crossVariants(chosen ?? [caseAgent], crossSettings(choices));
}

function chosenVariants(call: CommandCall): readonly Variant[] | null {
  const { options } = call;
  const [isOracle, isNull, isReplay] = ['oracle', 'null', 'replay'].map((name) => options[name] === true);
  const names = namesOf(call, 'agent');
  names.forEach(checkAgent);
  const models = namesOf(call, 'model');
  const command = textOption(call, 'agentCommand');
  if (command?.trim() === '') throw usage('--agent-command is empty');
  if (isReplay === true && isNull === true) throw usage('--null cannot be replayed');
  if (names.includes(commandAgent) && command !== null)
    throw usage('--agent command and --agent-command are the same agent; leave one out');

  const isAgentMeant = names.length > 0 || command !== null;
  if (!isAgentMeant && models.length > 0 && (isOracle === true || isNull === true))
    throw usage('--model needs --agent');

  const own: readonly (string | null)[] =
    isAgentMeant || models.length === 0 ? [...names, ...(command === null ? [] : [commandAgent])] : [null];
  const agents = own.flatMap((agent) =>
    (models.length === 0 ? [null] : models).map((model) => ({
      agent,
      model,
      ...(agent === commandAgent && command !== null ? { command } : {}),
    })),
  );
  if (isReplay === true) {
    const sources = [...agents, ...(isOracle === true ? [{ agent: 'oracle', model: null }] : [])];
    const wanted = sources.length === 0 ? [{ agent: null, model: null }] : sources;
    return wanted.map(({ agent, model }) => ({ kind: 'replay', agent, model }));
  }
  const variants: readonly Variant[] = [
    ...agents.map((agent): Variant => ({ kind: 'agent', ...agent })),
    ...(isOracle === true ? [{ kind: 'oracle', agent: null, model: null } as const] : []),
    ...(isNull === true ? [{ kind: 'null', agent: null, model: null } as const] : []),
  ];
  return variants.length === 0 ? null : variants;
}

/** `a,b`, each once. */
function namesOf(call: CommandCall, name: 'agent' | 'model'): readonly string[] {
  const text = textOption(call, name);
  if (text === null) return [];
  const names = [...new Set(text.split(',').map((part) => part.trim()))];
  if (names.includes('')) throw usage(`--${name} is empty, or has an empty part: '${text}'`);
  return names;
}

function checkAgent(name: string): void {
  const known = Object.keys(agentTraits);
  if (known.includes(name)) return;
  const near = suggest(name, known);
  throw usage(`there is no agent '${name}'; ${near === null ? known.join(', ') : `did you mean ${near}?`}`);
}

/** They have flags of their own, and would make labels that lie. */
const flagKeys: Readonly<Record<string, string>> = {
  'agent.name': '--agent',
  'agent.model': '--model',
  'agent.command': '--agent-command',
  'agent.script': '--oracle',
};

function settingChoices(call: CommandCall): readonly SettingChoice[] {
  const choices = listOption(call, 'set').map((text) => {
    const choice = parseChoice(text);
    if (choice === null) throw usage(`--set must look like key=value or key=v1,v2, not '${text}'`);
    return choice;
  });
  const twice = choices.find(({ key }, index) => choices.findIndex((other) => other.key === key) !== index);
  if (twice !== undefined)
    throw usage(`--set ${twice.key} is there twice; write its values as ${twice.key}=v1,v2`);

  for (const { key, values } of choices) {
    const flag = flagKeys[key];
    if (flag !== undefined) throw usage(`--set ${key} is not possible; use ${flag}`);
    const problem = checkKey(key);
    if (problem !== null) throw usage(problem);
    if (new Set(values).size !== values.length) throw usage(`--set ${key} has the same value twice`);
    for (const typed of values) checkValue(key, typed);
  }
  return choices;
}

/** By the rules of config.toml, before any trial begins. */
function checkValue(key: string, typed: string): void {
  const edited = editSetting('', { key, typed });
  if (!edited.ok) throw usage(`--set: ${edited.message}`);
  const toml = parseTomlText(edited.text);
  const parsed = toml.ok ? configSchema.safeParse(toml.value) : null;
  const issue = parsed?.error?.issues[0];
  if (issue !== undefined) throw usage(`--set ${key}=${typed}: ${key} ${issue.message}`);
}

export function textOption({ options }: CommandCall, name: string): string | null {
  const value = options[name];
  return typeof value === 'string' ? value : null;
}

export function usage(message: string): RunnerError {
  return new RunnerError({ code: 'USAGE', message, hint: 'runner eval run --help' });
}
