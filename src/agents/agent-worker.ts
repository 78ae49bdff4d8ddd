// A worker that is a program in the sandbox: it works in a private copy of the project, and what it changed there is
// its proposal. Its exit code and its words count for nothing.
//
//     copy ──▶ token ──▶ program ──▶ difference ──▶ changes
//               ▲                                     │ refused, once
//               └──────── program again ◀─────────────┘ in the same copy
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
import type { AgentEvents } from './agent-events.ts';
import type { AgentProgram } from './agent-program.ts';
import type { AgentEnd, AgentRun, AgentUse } from './agent-run.ts';
import { driverOf } from './drivers.ts';
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
  async function runOnce(text: string): Promise<Cut | undefined> {
    let cut: Cut | undefined;
    let isDone = false;
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
        login = openLoginCopy(program.login, sandbox.openHome());
        if (login === undefined) {
          const error = `${program.name}: ${program.login.file} holds no login any more. Sign in again.`;
          return { kind: 'failed', error };
        }
      } else access = await openAccess(endBy, silence.heard);
      const done = driverOf(program.protocol)({
        program,
        text,
        model: work.model,
        provider: work.provider,
        maxTurns: turnsLeft(),
        folder: copy!.runsIn,
        endpoint: access?.endpoint ?? NO_ENDPOINT,
        events,
        mayWrite: work.mayWrite,
        start: (command, environment = {}) =>
          start(command, {
            access,
            login,
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
    } finally {
      isDone = true;
      silence.stop();
      stopLooking();
      signal.removeEventListener('abort', onStop);
      await endAll();
      turnsBefore += access?.turns() ?? 0;
      work.onUsed(await access?.close());
      if (program.login !== undefined && work.network !== 'none') work.onOwnUse(used);
      const about = await login?.close();
      if (about !== undefined) work.note(about);
      reportHosts();
      running.clear();
    }
    return cut;
  }

  async function openAccess(
    endBy: (why: Cut) => void,
    heard: () => void,
  ): Promise<ModelAccess | undefined> {
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
      login: LoginCopy | undefined;
      environment: Readonly<Record<string, string>>;
      silence: { heard(): void };
      isOver(): boolean;
      onEnd(ending: Ending): void;
    },
  ): Promise<SandboxProcess> {
    const { access, login, environment, silence } = about;
    const process = await sandbox.start({
      command,
      folder: { kind: 'copy', copy: copy! },
      environment: sandboxEnvironment(work.env, { ...access?.environment, ...environment }),
      network: networkOf(work),
      ...(login && { home: login.home }),
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

  async function propose(text: string): Promise<Proposal> {
    const cut = await runOnce(text);
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
    return propose(`${work.text}\n\n# Refused\n\n${agentRefusal(problems)}`);
  }

  return {
    async work() {
      copy = await work.openCopy();
      return propose(work.text);
    },
    revise,
    accepted: async () => undefined,
    lastWords: () => last?.lastWords,
    close: endAll,
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
