/**
 * Runs one session of the configured agent (§5): prompt from a file, output to files in the git folder, the answer read
 * afterwards. What the agent did is a value; only a failure of the runner itself is an error.
 */
import { isContained } from '../../core/sandbox/sandbox.ts';
import { parseAgentOutput } from '../../core/agents/agent-output.ts';
import { agentRetriesMax, answerBytesMax, logDiskBytesMax } from '../../core/limits.ts';
import { parseReview } from '../../core/iteration/review.ts';
import type { SessionResult, Usage } from '../../core/agents/session.ts';
import type { Transcript } from '../../core/agents/transcript.ts';
import { redactDeep } from '../../core/text/redact.ts';
import { isNewerThanAll } from '../../core/text/version-order.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { Config, SourceText } from '../../core/types.ts';
import type { Executor, SessionRequest, SessionRole } from '../../ports/sessions.ts';
import { executorTable } from './executors/table.ts';
import type { AgentCommand, Ended, ExecutorSpec, UserLogin } from './executors/spec.ts';
import { clearFile, clearFolders } from '../files/clear-way.ts';
import { describeCredential, listLogins, loadUserLogin } from './credentials.ts';
import { openEventLog } from '../files/event-log.ts';
import { ensureDir, loadText, saveFile } from '../files/files.ts';
import type { PrivateLayout } from '../files/layout.ts';
import { isFile, saveSessionLogs, takeReport } from './agent-logs.ts';
import { buildCommand, buildEnv, previewCommand, schemaOf, sessionFiles } from './agent-command.ts';
import type { SessionFiles } from './agent-command.ts';
import { checkInside, loadVersion, requireProgram } from './agent-program.ts';
import type { AgentSessionOptions } from './agent-program.ts';
import { judgeSessionEnd, readAnswer } from './agent-read.ts';
import { loadTranscript, watchOutput } from './agent-watch.ts';
import type { Watcher } from './agent-watch.ts';
import { loadSmallFile } from '../files/small-file.ts';
import { loadTail } from '../files/log-cut.ts';
import { runProcess } from '../processes/process.ts';
import type { ProcessResult } from '../processes/process.ts';
import { openSandbox } from '../processes/sandbox/sandbox.ts';
import type { OpenSandbox } from '../processes/sandbox/sandbox.ts';
import type { SandboxFolder } from '../processes/sandbox/folder.ts';

const stderrTailBytes = 16 * 1024;

export function agentSession(options: AgentSessionOptions): Executor {
  const table = executorTable(options.entryFile);
  const versions = new Map<string, string | null>();
  const told = new Set<string>();
  const loadKnown = async (spec: ExecutorSpec, config: Config): Promise<string | null> => {
    const program = await requireProgram(options, { spec, config });
    if (!spec.hasVersionFlag) return null;
    if (!versions.has(program)) versions.set(program, await loadVersion(options, { spec, program, config }));
    return versions.get(program) ?? null;
  };
  return {
    describe: async (config) => {
      const spec = table[config.agent.name];
      const version = await loadKnown(spec, config);
      return { name: spec.name, version, model: config.agent.model, effort: config.agent.effort };
    },
    warn: async (config) => {
      const spec = table[config.agent.name];
      const { name, provenVersions: proven } = spec;
      const version = await loadKnown(spec, config);
      if (version === null || told.has(version) || !isNewerThanAll(version, proven)) return null;
      told.add(version);
      return `${version} is newer than what ${name} was proven with: ${proven.join(', ')}`;
    },
    checkInside: (config) => checkInside(options, { spec: table[config.agent.name], config }),
    preview: (request) => previewCommand(options, request),
    run: (request) => runSession(options, table[request.config.agent.name], request),
    salvage: async (request) => {
      const spec = table[request.config.agent.name];
      const { executorLog, reviewLog } = options.place.iteration(request);
      const log = request.role === 'review' ? reviewLog : executorLog;
      // What a session that had ended printed is already in the log.
      const file = isFile(options.own.stdout) ? options.own.stdout : log;
      const transcript = await loadTranscript(file, spec);
      const reported = await takeReport(options, spec);
      const stderr = await loadTail(options.own.stderr, stderrTailBytes);
      const { answer } = sessionFiles(options.own, crashedFolder(options, request));
      await saveSessionLogs(options, { role: 'agent', ...request, answer });
      const denials = redactDeep(denialsOf(spec, { transcript, stderr }), options.redactor().redact);
      return { usage: known(transcript.usage, reported), denials };
    },
    describeCredential: (config) =>
      describeCredential(table[config.agent.name], { env: options.env, model: config.agent.model }),
  };
}

function crashedFolder(
  { sandbox }: AgentSessionOptions,
  { config }: Pick<SessionRequest, 'config'>,
): SandboxFolder | null {
  return isContained(config) ? (sandbox?.findFolder() ?? null) : null;
}

async function runSession(
  options: AgentSessionOptions,
  spec: ExecutorSpec,
  request: SessionRequest,
): Promise<SessionResult> {
  const { own } = options;
  const { config, run_id, role } = request;
  const logins = await listLogins(spec, options.env);
  const inside = await openSandbox(options.sandbox, { config, run_id, role, clone: null, logins });
  const files = sessionFiles(own, inside?.folder ?? null);
  await prepareFiles(own, { request, files });
  const login = loadUserLogin(spec, options.env);
  const command = await buildCommand(options, { spec, request, files, login });
  for (const { path, text } of command.files ?? []) await saveFile(path, text, { root: files.root });

  const { dir, events } = options.place.iteration(request);
  await clearFolders(dir, options);
  await ensureDir(dir, { root: options.place.iterationsRoot });
  const { redact } = options.redactor();
  const watcher = watchOutput({
    spec,
    log: openEventLog({
      file: events,
      session: request.session,
      role: request.role,
      clock: options.clock,
      folder: options.place.projectDir,
      redact,
      onEvent: request.onEvent,
    }),
    onActivity: request.onActivity,
    redact,
    everyActivity: request.everyActivity,
  });
  const idleSecs = request.config.agent.idle_timeout_secs ?? spec.idleTimeoutSecs ?? 0;
  const result = await runAgent(options, { spec, request, files, login, inside, command, watcher, idleSecs });
  await options.afterEnd?.(request);
  const read = await loadSession(options, { spec, request, files, login, watcher, result, idleSecs });
  await saveSessionLogs(options, { ...request, answer: files.answer });
  // What is left here after a crash can only be of the session that crashed.
  for (const file of [own.answer, own.stdout, own.stderr]) await clearFile(file, own);
  await inside?.close();

  // Everything that is made of it is without secrets: the records, the next prompt, the commit.
  return redactDeep(read, options.redactor().redact);
}

/** Whatever an earlier session left must not be taken for this one's. */
async function prepareFiles(
  own: PrivateLayout,
  { request: { prompt, role }, files }: Pick<Session, 'request' | 'files'>,
): Promise<void> {
  for (const file of [own.answer, own.prompt, own.stdout, own.stderr]) await clearFile(file, own);

  await saveFile(own.prompt, prompt, { root: own.gitDir, isDurable: false });
  await saveFile(files.schema, schemaOf(role), { root: files.root, isDurable: false });
}

interface Session {
  readonly login: UserLogin;
  readonly spec: ExecutorSpec;
  readonly request: SessionRequest;
  readonly files: SessionFiles;
}

interface Running extends Session {
  readonly inside: OpenSandbox | null;
  readonly command: AgentCommand;
  readonly watcher: Watcher;
  readonly idleSecs: number;
}

function runAgent(options: AgentSessionOptions, running: Running): Promise<ProcessResult> {
  const { place, own } = options;
  const { spec, request, files, login, inside, command, watcher, idleSecs } = running;
  return runProcess({
    inside,
    argv: command.argv,
    cwd: place.projectDir,
    env: buildEnv(options, { spec, request, files, login, command }),
    stdinFile: command.stdin === 'prompt' ? own.prompt : null,
    stdoutFile: own.stdout,
    stderrFile: own.stderr,
    deadlineMs: request.deadlineMs,
    idleTimeoutMs: idleSecs === 0 ? null : idleSecs * 1000,
    isBusy: () => watcher.transcript().openTools.size > 0,
    diskBytesMax: logDiskBytesMax,
    cookie: request.cookie,
    clock: options.clock,
    interrupts: options.interrupts,
    onChunk: watcher.onChunk,
    followAll: true,
    skipping: watcher.skipping,
    isHopeless: () => watcher.transcript().retriesInARow >= agentRetriesMax,
    hasAnswered: watchAnswer(running),
    answerGraceMs: options.answerGraceMs ?? spec.answerGraceMs,
    ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
  });
}

/** Asked between two waits, so it must not wait itself, not even for what is no regular file, nor read a message twice. */
function watchAnswer({ spec, request, files, watcher }: Running): () => boolean {
  let seen: Transcript | null = null;
  let isThere = false;
  return () => {
    if (spec.answersInFile) {
      const text = loadSmallFile(files.answer, answerBytesMax);
      return text !== null && isAnswer(request.role, { kind: 'text', text });
    }
    const transcript = watcher.transcript();
    if (transcript.isFinished && transcript !== seen) {
      seen = transcript;
      const ended: Ended = { transcript, stderr: '', answerFile: { kind: 'missing' }, exitCode: 0 };
      isThere = isAnswer(request.role, readAnswer(spec, ended));
    }
    return isThere;
  };
}

function isAnswer(role: SessionRole, answer: SourceText): boolean {
  return role === 'review' ? parseReview(answer).ok : parseAgentOutput(answer).ok;
}

async function loadSession(
  options: AgentSessionOptions,
  session: Session & { watcher: Watcher; result: ProcessResult; idleSecs: number },
): Promise<SessionResult> {
  const { own, clock } = options;
  const { spec, request, files, login, watcher, result, idleSecs } = session;
  const transcript = watcher.finish();
  const reported = await takeReport(options, spec);
  const ended: Ended = {
    transcript,
    stderr: await loadTail(own.stderr, stderrTailBytes),
    answerFile: await loadText(files.answer, { bytesMax: answerBytesMax, root: files.root }),
    exitCode: result.exitCode,
  };
  const answer = readAnswer(spec, ended);
  return {
    end: judgeSessionEnd({
      spec,
      loginFix: login.fix,
      result,
      ended,
      isAnswered: isAnswer(request.role, answer),
      idleSecs,
      now: clock.localNow(),
    }),
    answer,
    exit_code: result.exitCode,
    duration_ms: result.durationMs,
    usage: known(transcript.usage, reported),
    denials: denialsOf(spec, ended),
    leftovers: result.leftovers,
  };
}

/** What it said at the end counts; of a session that did not come so far, what it reported on the way. */
function known(usage: Usage, reported: Usage): Usage {
  return usage.input_tokens === null && usage.output_tokens === null ? reported : usage;
}

function denialsOf(
  spec: ExecutorSpec,
  { transcript, stderr }: Pick<Ended, 'transcript' | 'stderr'>,
): readonly string[] {
  return [...new Set([...transcript.denials, ...(spec.denials?.(stderr) ?? []).map(cleanLine)])];
}
