/**
 * Every path the runner uses, as pure functions: `.runner/` in the project folder (§2, §8) and the private folder
 * inside the git folder, out of the agent's work tree. It never touches the disk.
 */
import { join } from 'node:path';

export const runnerFolder = '.runner';

export type Layout = ReturnType<typeof layout>;
export type IterationLayout = ReturnType<typeof iterationLayout>;
export type RepositoryLayout = ReturnType<typeof repositoryLayout>;
export type PrivateLayout = ReturnType<typeof privateLayout>;

/** Where the logs of iterations are: in the project, or for a background run in the common git folder (§13.6). */
export interface LogPlace {
  readonly iterationsDir: string;
  /** Trusted folder above it. */
  readonly iterationsRoot: string;
}

interface IterationOf {
  readonly run_id: string;
  readonly iter: number;
}

/** `further`: where logs of other runs may be, for those who only read. */
export function layout(projectDir: string, logs?: LogPlace, further: readonly LogPlace[] = []) {
  const root = join(projectDir, runnerFolder);
  const state = join(root, 'state');
  const context = join(root, 'context');
  const nodes = join(root, 'nodes');
  const iterations = logs?.iterationsDir ?? join(root, 'iterations');
  const iterationsRoot = logs?.iterationsRoot ?? projectDir;
  const own: LogPlace = { iterationsDir: iterations, iterationsRoot };
  return {
    projectDir,
    root,
    gitignore: join(root, '.gitignore'),
    gitattributes: join(root, '.gitattributes'),
    goal: join(root, 'GOAL.md'),
    stateDir: state,
    tree: join(state, 'tree.json'),
    rejectedTree: join(state, 'tree.rejected.json'),
    treeSchema: join(state, 'schema.json'),
    outputSchema: join(state, 'agent_output.schema.json'),
    config: join(state, 'config.toml'),
    runState: join(state, 'run_state.json'),
    memory: {
      assumptions: join(state, 'assumptions.md'),
      questions: join(state, 'questions.md'),
      answers: join(state, 'answers.md'),
      feedback: join(state, 'feedback.md'),
      improvements: join(state, 'improvements.md'),
    },
    nodesDir: nodes,
    node: (nodeId: string) => {
      const dir = join(nodes, nodeId);
      return {
        dir,
        context: join(dir, 'context.md'),
        tools: join(dir, 'tools.json'),
        last: join(dir, 'last.json'),
        artifactsDir: join(dir, 'artifacts'),
      } as const;
    },
    contextDir: context,
    context: {
      goal: join(context, 'goal.md'),
      history: join(context, 'history.md'),
      failure: join(context, 'failure.md'),
    },
    iterationsDir: iterations,
    iterationsRoot,
    runDir: (runId: string) => join(iterations, runId),
    iteration: (place: IterationOf) => iterationLayout(iterations, place),
    logPlaces: [own, ...further],
  } as const;
}

export function iterationLayout(iterationsDir: string, { run_id, iter }: IterationOf) {
  const dir = join(iterationsDir, run_id, String(iter));
  return {
    dir,
    file: (name: string) => join(dir, name),
    meta: join(dir, 'meta.json'),
    prompt: join(dir, 'prompt.md'),
    output: join(dir, 'output.json'),
    executorLog: join(dir, 'executor.log'),
    reviewLog: join(dir, 'review.log'),
    reviewOutput: join(dir, 'review.json'),
    reviewPatch: join(dir, 'review.patch'),
    events: join(dir, 'events.jsonl'),
    guardLog: join(dir, 'guard.log'),
    runnerError: join(dir, 'runner_error.log'),
    agentError: join(dir, 'agent_error.log'),
    treeBefore: join(dir, 'tree.before.json'),
    treeAgent: join(dir, 'tree.agent.json'),
    treeAfter: join(dir, 'tree.after.json'),
    diff: join(dir, 'diff.patch'),
    /** What the agent had made of files that are not its own (§2). */
    keptDir: join(dir, 'kept'),
  } as const;
}

/** `gitDir` is the work tree's own git folder, so linked work trees do not share it (§1 promise 7). */
export function privateLayout(gitDir: string) {
  const root = join(gitDir, 'runner');
  const stash = join(root, 'stash');
  const quarantine = join(root, 'quarantine');
  const nested = join(root, 'nested');
  const special = join(root, 'special');
  const queue = join(root, 'queue');
  return {
    gitDir,
    root,
    lock: join(root, 'lock'),
    journal: join(root, 'journal.jsonl'),
    stashDir: stash,
    stash: (sha256: string) => join(stash, sha256),
    answer: join(root, 'answer.json'),
    /** What the session reads on stdin and writes to, opened before it starts. */
    prompt: join(root, 'prompt.md'),
    schema: join(root, 'answer.schema.json'),
    stdout: join(root, 'stdout.log'),
    stderr: join(root, 'stderr.log'),
    /** Changes of the tree that wait for the next iteration, and the flag that pauses a loop (§12). */
    queueDir: queue,
    refusedDir: join(queue, 'refused'),
    pause: join(root, 'pause'),
    /** What the runner does, or why it ended. */
    note: join(root, 'note.json'),
    index: join(root, 'index'),
    quarantineDir: quarantine,
    quarantine: (name: string) => join(quarantine, name),
    nestedDir: nested,
    nested: (iter: number) => join(nested, String(iter)),
    specialDir: special,
    /** Pipes, sockets and devices that were in the work tree. */
    special: (iter: number) => join(special, String(iter)),
  } as const;
}

/** What all work trees of a repository share (§13): `commonDir` is its common git folder. */
export function repositoryLayout(commonDir: string) {
  const root = join(commonDir, 'runner');
  const records = join(root, 'runs');
  const logs = join(root, 'logs');
  return {
    commonDir,
    root,
    lock: join(root, 'repository.lock'),
    quarantineDir: join(root, 'quarantine'),
    recordsDir: records,
    record: (runId: string) => join(records, `${runId}.json`),
    progress: (runId: string) => join(records, `${runId}.progress.txt`),
    /** Iterations of background runs: `<run>/<n>/`, as below `.runner/iterations/`. */
    logsDir: logs,
    runLogs: (runId: string) => join(logs, runId),
    /** What was moved aside in work trees of a run that are gone. */
    kept: (runId: string) => join(root, 'kept', runId),
    logPlace: { iterationsDir: logs, iterationsRoot: commonDir },
    /** What the run's own process printed. */
    workLog: (runId: string) => join(logs, runId, 'work.log'),
  } as const;
}
