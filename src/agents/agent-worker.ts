// A worker that is a program in the sandbox: it works in a private copy of the project, and what it changed there is
// its proposal. Its exit code and its words count for nothing.
//
//     copy ──▶ token ──▶ program ──▶ difference ──▶ changes
//               ▲                                     │ refused, once
//               └──────── program again ◀─────────────┘ in the same copy
//
// All programs of an attempt share a home. An agent that can continues its session in it, that of the attempt before, too;
// where this fails before anything is done, the same task begins anew in an empty home.
//
// Whatever ends the program early (time, silence, a limit, a stop) ends the attempt: its difference is not read.
import type { ApplyProblem } from '../domain/artifact/apply-problem.ts';
import { agentRefusal } from '../domain/prompt/agent-task.ts';
import { rejection } from '../domain/run/rejection.ts';
import type { StreamFailure } from '../domain/run/failure-class.ts';
import type { Halt } from '../domain/run/halt.ts';
import type { StreamTokenUsage } from '../contract/stream-token-api.ts';
import type { Copy } from '../sandbox/copy/copy.ts';
import { sandboxEnvironment } from '../sandbox/environment.ts';
import type { Limits } from '../sandbox/limits.ts';
import type { NetworkPolicy } from '../sandbox/network/policy.ts';
import type { Ending, Sandbox, SandboxProcess } from '../sandbox/sandbox.ts';
import { REVISIONS, changesOf, mayUndo } from './copy-changes.ts';
import { heardBy } from './agent-events.ts';
import type { AgentEvents } from './agent-events.ts';
import type { AgentProgram } from './agent-program.ts';
import type { AgentEnd, AgentRun, AgentUse, SessionState } from './agent-run.ts';
import { driverOf } from './drivers.ts';
import { openSession } from './session.ts';
import type { AgentSession, SessionKeeper } from './session.ts';
import type { DoorAnswer } from '../sandbox/network/path-door.ts';
import { openLoginCopy } from './login/login-copy.ts';
import type { LoginCopy } from './login/login-copy.ts';
import type { AccessOptions, ModelAccess } from './model-access.ts';
import { NO_ENDPOINT, openModelAccess } from './model-access.ts';
import { watchChanges } from './watch-changes.ts';
import { watchSilence } from './watch-silence.ts';
import type { Proposal, Worker } from './worker.ts';

export interface AgentWork {
  program: AgentProgram;
  text: string;
  /** Instead, for a session that knows the task already. */
  shortText: string;
  sessions: SessionKeeper;
  model: string;
  provider: AgentRun['provider'];
  network: 'models' | 'none' | readonly string[];
  sandbox: Sandbox;
  limits: Partial<Limits>;
  /** The caller removes it when the attempt has ended. */
  openCopy(): Promise<Copy>;
  access: Omit<AccessOptions, 'onTurn' | 'onTooMany' | 'sharesLoopback'>;
  env: NodeJS.ProcessEnv;
  /** What the project's own rules leave out. */
  isIgnored(path: string): boolean;
  mayWrite(path: string): boolean;
  events: AgentEvents;
  /** A person who looks on should know. */
  note(message: string): void;
  /** A token was made; its calls belong to this attempt. */
  onToken(id: string, isRevision: boolean): Promise<void>;
  onUsed(usage: StreamTokenUsage | undefined): void;
  /** A task with the person's own login begins. */
  onOwnCall(isRevision: boolean): Promise<void>;
  /** What the agent says that it used; undefined where it was ended before it could. */
  onOwnUse(used: AgentUse | undefined): void;
  /** Why calls were refused for their cost; undefined when that was not the reason after all. */
  whyRefused(message: string): Promise<StreamFailure | Halt | undefined>;
  /** After so long without a call, output or work of the processor it is ended. */
  silentMs?: number;
  /** Stopped from outside, or out of time. */
  signal: AbortSignal;
}

/** Why a program was ended before it was done. */
type Cut =
  | { kind: 'stopped' }
  /** The server does not renew its token. */
  | { kind: 'lost'; error: string }
  | { kind: 'failed'; error: string }
  | { kind: 'cost'; message: string };

interface Ran {
  cut: Cut | undefined;
  /** It has got as far as an answer of a model. */
  hasBegun: boolean;
}

/** `shortText` is for a session that knows the rest. */
type Task = Pick<AgentWork, 'text' | 'shortText'>;

function networkOf({ network, program: { login } }: AgentWork): NetworkPolicy {
  const own = login !== undefined && network === 'models' ? login.hosts : [];
  const hosts = typeof network === 'string' ? own : network;
  // Also where nothing may be reached: the proxy is who sees what was tried.
  return { kind: 'hosts', hosts };
}

const isHalt = (reason: StreamFailure | Halt): reason is Halt => 'reason' in reason;

export function createAgentWorker(work: AgentWork): Worker {
  const { program, sandbox, events, signal } = work;
  let copy: Copy | undefined;
  let session: AgentSession | undefined;
  let isAccepted = false;
  let last: AgentEnd | undefined;
  let revisions = 0;
  /** Model calls of the tasks before this one: all of an attempt have one limit. */
  let turnsBefore = 0;
  const turnsLeft = () => work.access.maxTurns - turnsBefore;
  const running = new Set<SandboxProcess>();

  async function endAll(): Promise<void> {
    for (const one of running) one.kill();
    await Promise.all([...running].map(({ ended }) => ended));
  }

  /** The program with one task, to its end; what ended it early, if anything did. */
  async function runOnce(text: string, continued?: SessionState): Promise<Ran> {
    let cut: Cut | undefined;
    let isDone = false;
    let signs = 0;
    const onSign = () => void (signs += 1);
    const endBy = (why: Cut) => {
      cut ??= why;
      for (const one of running) one.kill();
    };
    const onStop = () => endBy({ kind: 'stopped' });
    signal.addEventListener('abort', onStop, { once: true });
    if (signal.aborted) onStop();
    const silence = watchSilence(() => [...running], {
      silentMs: work.silentMs,
      onSilent: (time) => {
        const error = `${program.name} was silent for ${time}: no call, no output, no work. It was ended.`;
        endBy({ kind: 'failed', error });
      },
    });
    const stopLooking = watchChanges({ ...work, copy: copy!, onChanged: events.changed });
    let access: ModelAccess | undefined;
    let login: LoginCopy | undefined;
    let used: AgentUse | undefined;
    try {
      if (program.login !== undefined && work.network !== 'none') {
        await work.onOwnCall(revisions > 0);
        login = openLoginCopy(program.login, session!.home());
        if (login === undefined) {
          const error = `${program.name}: ${program.login.file} holds no login any more. Sign in again.`;
          return { cut: { kind: 'failed', error }, hasBegun: true };
        }
      } else access = await openAccess({ endBy, heard: silence.heard, onAnswered: onSign });
      const done = driverOf(program.protocol)({
        program,
        text,
        ...(continued && { session: continued }),
        model: work.model,
        provider: work.provider,
        maxTurns: turnsLeft(),
        folder: copy!.runsIn,
        endpoint: access?.endpoint ?? NO_ENDPOINT,
        // Calls that are not seen here leave nothing else to judge by.
        events: access === undefined ? heardBy(events, onSign) : events,
        mayWrite: work.mayWrite,
        start: (command, environment = {}) =>
          start(command, {
            access,
            environment,
            silence,
            isOver: () => cut !== undefined,
            // What ends after the driver is ended by us.
            onEnd(ending) {
              const error = isDone ? undefined : badEnd(ending);
              if (error !== undefined)
                endBy({ kind: 'failed', error: `${program.name}: ${error}` });
            },
          }),
      });
      last = await done;
      used = last.used;
      session!.ended(last.session);
    } finally {
      isDone = true;
      silence.stop();
      stopLooking();
      signal.removeEventListener('abort', onStop);
      await endAll();
      turnsBefore += access?.turns() ?? 0;
      work.onUsed(await access?.close());
      if (program.login !== undefined && work.network !== 'none') work.onOwnUse(used);
      const { about, secrets = [] } = (await login?.close()) ?? {};
      if (about !== undefined) work.note(about);
      session!.hide(secrets);
      if (cut !== undefined) session!.cut();
      reportHosts();
      running.clear();
    }
    return { cut, hasBegun: signs > 0 || (used?.tokens.output ?? 0) > 0 };
  }

  async function openAccess({
    endBy,
    heard,
    onAnswered,
  }: {
    endBy(why: Cut): void;
    heard(): void;
    onAnswered(): void;
  }): Promise<ModelAccess | undefined> {
    if (work.network === 'none') return undefined;
    const access = await openModelAccess({
      ...work.access,
      maxTurns: turnsLeft(),
      sharesLoopback: sandbox.sharesLoopback,
      onTooMany() {
        const error = `${program.name} made ${work.access.maxTurns} model calls without finishing (maxTurns).`;
        endBy({ kind: 'failed', error });
      },
      onTurn({ number: ofTask, answer }) {
        heard();
        const number = turnsBefore + ofTask;
        const { status, durationMs } = answer;
        const ok = status >= 200 && status < 300;
        if (ok) onAnswered();
        events.turn({ number, ok, durationMs, ...(!ok && { error: refusalIn(answer) }) });
        if (status === 402) endBy({ kind: 'cost', message: refusalIn(answer) });
      },
    });
    const onLost = () => endBy({ kind: 'lost', error: String(access.lost.reason?.message) });
    access.lost.addEventListener('abort', onLost, { once: true });
    try {
      await work.onToken(access.id, revisions > 0);
    } catch (error) {
      await access.close();
      throw error;
    }
    return access;
  }

  async function start(
    command: readonly [string, ...string[]],
    about: {
      access: ModelAccess | undefined;
      environment: Readonly<Record<string, string>>;
      silence: { heard(): void };
      isOver(): boolean;
      onEnd(ending: Ending): void;
    },
  ): Promise<SandboxProcess> {
    const { access, environment, silence } = about;
    const process = await sandbox.start({
      command,
      folder: { kind: 'copy', copy: copy! },
      environment: sandboxEnvironment(work.env, { ...access?.environment, ...environment }),
      network: networkOf(work),
      home: session!.home(),
      ...(access && { doors: [access.door] }),
      programs: program.paths,
      // The time is the caller's.
      limits: { ...work.limits, timeoutMs: Infinity },
    });
    running.add(process);
    // Before anybody else who waits for the end.
    process.ended.then(about.onEnd, () => undefined);
    process.stdout.on('data', silence.heard);
    process.stderr.on('data', silence.heard);
    if (about.isOver()) process.kill();
    return process;
  }

  function reportHosts(): void {
    const hosts = new Map(
      [...running].flatMap((one) => one.refused()).map((each) => [each.host, each]),
    );
    for (const { host, reason } of hosts.values()) {
      events.refused({ what: 'host', subject: host, why: reason });
    }
  }

  /** Continues the session where there is one; a session that cannot be continued costs no attempt. */
  async function runTask({ text, shortText }: Task): Promise<Cut | undefined> {
    const state = session!.state();
    if (state === undefined) return (await runOnce(text)).cut;
    const { cut, hasBegun } = await runOnce(shortText, state);
    const isSuspect = cut === undefined || cut.kind === 'failed';
    if (hasBegun || !isSuspect || signal.aborted || turnsLeft() <= 0) return cut;
    const said =
      cut?.kind === 'failed' ? cut.error : (last?.error ?? `${program.name} ended without a call.`);
    events.session({ continued: false, why: `It could not be continued. ${said}` });
    session!.renew();
    return (await runOnce(text)).cut;
  }

  async function propose(task: Task): Promise<Proposal> {
    const cut = await runTask(task);
    if (cut?.kind === 'stopped') return { kind: 'stopped' };
    if (cut?.kind === 'failed')
      return { kind: 'failed', failure: { kind: 'answer', error: cut.error } };
    if (cut?.kind === 'lost') {
      const error = `${program.name} lost its access to models: ${cut.error}`;
      const failure = { kind: 'call', code: 'SERVICE_UNAVAILABLE', status: 503, error } as const;
      return { kind: 'failed', failure };
    }
    if (cut?.kind === 'cost') {
      const why = await work.whyRefused(cut.message);
      if (why !== undefined && isHalt(why)) return { kind: 'halted', halt: why };
      return { kind: 'failed', failure: why ?? { kind: 'answer', error: cut.message } };
    }
    const { operations, problems } = await changesOf(copy!, work);
    if (problems.length > 0) {
      return (
        (await revise(problems)) ?? { kind: 'failed', failure: rejection(problems, 'The changes') }
      );
    }
    if (operations.length === 0) {
      const words = last?.error ?? last?.lastWords ?? 'It said nothing.';
      const error = `${program.name} changed nothing. Its last words: ${words.slice(-1000)}`;
      return { kind: 'failed', failure: { kind: 'answer', error } };
    }
    const isLast = revisions >= REVISIONS;
    return { kind: 'changes', operations, summary: last?.lastWords ?? '', isLast, isExact: true };
  }

  async function revise(problems: readonly ApplyProblem[]): Promise<Proposal | undefined> {
    for (const { path, message } of problems.slice(0, 50)) {
      events.refused({ what: 'file', subject: path, why: message });
    }
    if (revisions >= REVISIONS || !mayUndo(problems)) return undefined;
    revisions += 1;
    const refused = `# Refused\n\n${agentRefusal(problems)}`;
    return propose({ text: `${work.text}\n\n${refused}`, shortText: refused });
  }

  return {
    async work() {
      copy = await work.openCopy();
      session = await openSession(work.sessions, sandbox, events.session);
      return propose(work);
    },
    revise,
    async accepted() {
      isAccepted = true;
    },
    lastWords: () => last?.lastWords,
    async close() {
      await endAll();
      await session?.close({ isKept: !isAccepted });
    },
  };
}

/** Where a program did not end by itself: why. Its exit code alone says nothing. */
function badEnd(ending: Ending): string | undefined {
  switch (ending.kind) {
    case 'limit':
      return `it was ended. ${ending.text}`;
    case 'unstartable':
      return `it could not be started. ${ending.message}`;
    case 'cancelled':
      return undefined;
    case 'exited': {
      const signal = ending.exitCode - 128;
      return signal > 0 && signal <= 64 ? `it was ended by signal ${signal}.` : undefined;
    }
  }
}

/** Each vendor's errors have their message in another place. */
function refusalIn({ status, error }: DoorAnswer): string {
  if (status === 0) return 'The server could not be reached.';
  try {
    const body = JSON.parse(error) as { error?: { message?: unknown } };
    if (typeof body.error?.message === 'string') return body.error.message;
  } catch {
    // No JSON, or cut off.
  }
  return `The model endpoint answered ${status}.`;
}
