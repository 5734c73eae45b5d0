/**
 * The manifest, held against the schema of the Kubernetes API (kubernetes-job.json says where it comes from); a field that the schema does
 * not have is refused, as `kubectl --validate=strict` does. No cluster ran it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { makeJob, renderKubernetes } from '../../../src/eval/fleet/kubernetes.ts';
import { anyWork, evalWork, runsWork } from '../../support/fleet-works.ts';

interface Schema {
  properties?: unknown;
  additionalProperties?: boolean;
}
interface Document {
  components: { schemas: Record<string, Schema> };
}

const document = JSON.parse(
  readFileSync(join(import.meta.dirname, 'kubernetes-job.json'), 'utf8'),
) as Document;
for (const schema of Object.values(document.components.schemas))
  if (schema.properties !== undefined) schema.additionalProperties = false;

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
const checkJob = ajv.compile({ ...document, $ref: '#/components/schemas/io.k8s.api.batch.v1.Job' });

function problemsOf(job: unknown): readonly string[] {
  return checkJob(job)
    ? []
    : (checkJob.errors ?? []).map((error) => `${error.instancePath}: ${error.message}`);
}

describe('the schema', () => {
  test.each([
    ['a field of another name', 'completionMode', 'completionModus', 'must NOT have additional properties'],
    ['a text for a number', 'completions: 4', "completions: 'four'", 'must be integer'],
    ['a field too few', 'action: Ignore', 'status: Ignore', "must have required property 'action'"],
  ])('catches %s', (_, from, to, message) => {
    const text = stringify(makeJob(evalWork, { image: 'i' }));
    expect(text).toContain(from);
    expect(problemsOf(parse(text.replace(from, to))).join('\n')).toContain(message);
  });
});

test('an eval and runs are Indexed Jobs that the schema takes', () => {
  for (const work of [evalWork, runsWork]) {
    const text = renderKubernetes(work, { image: 'host/runner:1' });
    const job: unknown = parse(text);
    expect(problemsOf(job)).toEqual([]);
    expect(job).toEqual(makeJob(work, { image: 'host/runner:1' }));
    expect(job).toMatchObject({
      spec: { completionMode: 'Indexed', template: { spec: { restartPolicy: 'Never' } } },
    });
  }
  const text = renderKubernetes(evalWork, { image: 'i' });
  expect(text).toContain('#   runner eval merge fleet/Night_1/*\n');
  expect(text).toContain('name: runner-night-1\n');
});

test('whatever is asked for: valid, and with a name that a host may have', () => {
  fc.assert(
    fc.property(anyWork, (work) => {
      const job = makeJob(work, { image: 'i' }) as { readonly metadata: { readonly name: string } };
      expect(problemsOf(job)).toEqual([]);
      expect(job.metadata.name).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/);
    }),
  );
});
