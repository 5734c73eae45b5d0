import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { executorTable } from '../../../../src/adapters/agents/executors/table.ts';
import { allCredentialNames } from '../../../../src/adapters/processes/credential-names.ts';
import { eventJoiner, renderEventLine } from '../../../../src/core/agents/agent-events.ts';
import { fuzzCases } from '../../../support/fuzz.ts';

const table = executorTable('/runner/bin.js');
const specs = Object.values(table);

test('names and credentials', () => {
  for (const [name, spec] of Object.entries(table)) {
    expect(spec.name).toBe(name);
    expect(spec.credentialNames.every((variable) => allCredentialNames.has(variable))).toBe(true);
  }
  expect(allCredentialNames.has('ANTHROPIC_API_KEY') && allCredentialNames.has('OPENAI_API_KEY')).toBe(true);
  expect([table.codex.idleTimeoutSecs, table.claude.idleTimeoutSecs]).toEqual([600, 600]);
  expect([table.command.idleTimeoutSecs, table.scripted.idleTimeoutSecs]).toEqual([null, null]);
});

test.each(specs)('$name passes what its login is looked for in, and no guard gets that', (spec) => {
  for (const { variable, file } of spec.credentials) {
    const names = [variable, file?.homeVariable].filter((name) => typeof name === 'string');
    expect(names.filter((name) => !spec.credentialNames.includes(name))).toEqual([]);
  }
});

test.each(specs.filter((spec) => spec.hasVersionFlag))('$name was proven with a version', (spec) => {
  expect(spec.provenVersions.length).toBeGreaterThan(0);
  expect(spec.installHint).toMatch(/^npm install -g /);
});

const keys = [
  ...['type', 'subtype', 'item', 'message', 'content', 'error', 'data', 'usage', 'result', 'id', 'text'],
  ...['name', 'tool', 'input', 'command', 'changes', 'status', 'exit_code', 'attempt', 'max_retries', 'part'],
  ...['state', 'structured_output', 'permission_denials', 'rate_limit_info', 'resetsAt', 'toString'],
  ...['arguments', 'args', 'toolName', 'fileEdits', 'shellExecution', 'questions', 'question', 'statusCode'],
  ...['valueOf', 'toJSON', 'role', 'delta', 'partial', 'stats', 'tool_name', 'parameters', 'is_error'],
];
const types = [
  ...['item.started', 'item.completed', 'turn.completed', 'turn.failed', 'error', 'assistant', 'user'],
  ...['system', 'result', 'rate_limit_event', 'text', 'tool_use', 'tool_result', 'message', 'api_retry'],
  ...['command_execution', 'file_change', 'agent_message', 'thinking', 'step_finish', 'message_end', 'init'],
  ...['assistant.message', 'session.error', 'tool_execution_start', 'tool_execution_end', 'message_update'],
  ...['tool.execution_start', 'tool.execution_complete', 'model.call_failure', 'tool_call', 'completion'],
  ...['reasoning', 'rejected', 'retry', 'stop', 'Create', 'AskUser'],
];
const word = fc.oneof(fc.constantFrom(...types), fc.string({ maxLength: 4 }));
const value = fc.oneof(word, fc.integer({ min: -1, max: 600 }), fc.boolean(), fc.constant(null));
const record = fc
  .tuple(word, fc.object({ key: fc.constantFrom(...keys), values: [value], maxDepth: 4, maxKeys: 6 }))
  .map(([type, fields]) => JSON.stringify({ ...fields, type }));
const line = fc.oneof(record, fc.string(), fc.json());
const place = { seq: 1, at: '2026-01-01T00:00:00.000Z', session: 1, role: 'agent' } as const;
const isEvent = new Ajv2020({ allowUnionTypes: true }).compile(
  JSON.parse(readFileSync('schemas/events/v1.schema.json', 'utf8')) as object,
);

test.each(specs)('$name: whatever stands in a line, it gives events of the shipped schema', (spec) => {
  fc.assert(
    fc.property(line, (text) => {
      const joiner = eventJoiner();
      const events = [...spec.follow(text).flatMap(joiner.add), ...joiner.flush()];
      for (const event of events)
        expect([isEvent(JSON.parse(renderEventLine(event, place))), event]).toEqual([true, event]);
    }),
    fuzzCases(500),
  );
});

test.each(specs)('$name: nor does what is nested without end', (spec) => {
  const deep = `${'{"a":['.repeat(10_000)}1${']}'.repeat(10_000)}`;
  for (const key of keys) {
    for (const type of ['result', 'system', 'item.completed']) {
      const text = `{"type":"${type}","subtype":"api_retry","is_error":true,"${key}":${deep}}`;
      expect(Array.isArray(spec.follow(text))).toBe(true);
    }
  }
});
