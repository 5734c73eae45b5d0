/**
 * An Indexed Job of Kubernetes (batch/v1): one pod for each shard or run. A pod that was killed is started again; a runner that says why
 * it stopped is not: that needs a person.
 */
import { stringify } from 'yaml';
import { fleetName, renderNext, renderWork, taskCount } from './work-script.ts';
import type { FleetWork } from './work-script.ts';

export interface KubernetesPlace {
  readonly image: string;
}

/** Where pods find the shared volume. */
const mountPath = '/work';
/** Of a Job and its pods, with what Kubernetes adds to it. */
const nameLengthMax = 40;
/** Exit codes with which the runner itself ends; see `runner help exit-codes`. */
const ownExits = [1, 2, 3, 64];

export function renderKubernetes(work: FleetWork, place: KubernetesPlace): string {
  const lines = [
    'Needs a volume claim runner-work that all pods share, with the project folder in it;',
    'and the secret runner, with the login of the agent as variables.',
    'kubectl create -f <this file>',
    'When all pods are done, in the project folder:',
    ...renderNext(work).map((line) => `  ${line}`),
  ];
  return `${lines.map((line) => `# ${line}\n`).join('')}${stringify(makeJob(work, place), { lineWidth: 0 })}`;
}

export function makeJob(work: FleetWork, { image }: KubernetesPlace): unknown {
  const labels = { 'app.kubernetes.io/name': 'runner', 'app.kubernetes.io/instance': jobName(work) };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: jobName(work), labels },
    spec: {
      completionMode: 'Indexed',
      completions: taskCount(work),
      parallelism: taskCount(work),
      backoffLimitPerIndex: 6,
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          {
            action: 'FailIndex',
            onExitCodes: { containerName: 'runner', operator: 'In', values: ownExits },
          },
        ],
      },
      template: { metadata: { labels }, spec: makePod(work, image) },
    },
  };
}

function makePod(work: FleetWork, image: string): unknown {
  const identity = { name: 'runner', email: 'runner@fleet.invalid' };
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    // A runner that is asked to stop commits what there is, and pushes it.
    terminationGracePeriodSeconds: 120,
    containers: [
      {
        name: 'runner',
        image,
        command: ['sh', '-c', scriptOf(work)],
        workingDir: mountPath,
        env: ['AUTHOR', 'COMMITTER'].flatMap((who) => [
          { name: `GIT_${who}_NAME`, value: identity.name },
          { name: `GIT_${who}_EMAIL`, value: identity.email },
        ]),
        envFrom: [{ secretRef: { name: 'runner', optional: true } }],
        volumeMounts: [{ name: 'work', mountPath }],
      },
    ],
    volumes: [{ name: 'work', persistentVolumeClaim: { claimName: 'runner-work' } }],
  };
}

function scriptOf(work: FleetWork): string {
  return renderWork(work, {
    base: mountPath,
    task: '$((JOB_COMPLETION_INDEX + 1))',
    attempt: '$HOSTNAME',
  });
}

/** A label of a host name: lower-case letters, digits and `-`. */
function jobName(work: FleetWork): string {
  const name = `runner-${fleetName(work)}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return name.slice(0, nameLengthMax).replace(/-$/, '');
}
