// The built-in agent: a model that gets tools, in turns of one job each. What it calls is done in a private copy of the
// project inside of the sandbox; the model itself is asked from outside.
//
//     copy ──▶ question ──▶ answer ──▶ calls in the copy ──▶ question ...
//                             │ done
//                             ▼
//                    difference of the copy ──▶ changes
//                                                 │ refused, once
//                    question with why ◀──────────┘ in the same copy
//
// A process that takes over has the last question, with the conversation in it: it opens a fresh copy, does again what the
// answers in it did, and asks on. Nothing is paid for twice.
import type { ApplyProblem } from '../../domain/artifact/apply-problem.ts';
import { agentRefusal } from '../../domain/prompt/agent-task.ts';
import {
  CUT_OFF,
  LOOP_SYSTEM,
  USE_THE_TOOLS,
  changedMeanwhile,
} from '../../domain/prompt/loop-text.ts';
import { rejection } from '../../domain/run/rejection.ts';
import type { Copy } from '../../sandbox/copy/copy.ts';
import type { SandboxProcess } from '../../sandbox/sandbox.ts';
import type { AgentEvents } from '../agent-events.ts';
import { REVISIONS, changesOf, mayUndo } from '../copy-changes.ts';
import { watchChanges } from '../watch-changes.ts';
import { HaltedError } from '../worker.ts';
import type { Proposal, Worker } from '../worker.ts';
import { insideProgram } from './inside-program.ts';
import { keepSmall } from './keep-small.ts';
import { makeCalls, repeatEffects } from './make-calls.ts';
import type { ToolWorld } from './tool.ts';
import type { LoopTurns, Talk } from './turns.ts';
import { NEW_LOOP, watchTurn } from './watch-turns.ts';
import { WorkbenchError, createWorkbench } from './workbench.ts';
import type { Workbench } from './workbench.ts';

export interface LoopWork extends Omit<ToolWorld, 'bench' | 'folder' | 'onRefused'> {
  text: string;
  maxTurns: number;
  /** Of the whole conversation; above it, what tools showed earlier is taken out. */
  maxTokens: number;
  turns: LoopTurns;
  /** The caller removes it when the attempt has ended. */
  openCopy(): Promise<Copy>;
  /** A program in the copy: a Node inside with this text. */
  start(copy: Copy, program: string): Promise<SandboxProcess>;
  isIgnored(path: string): boolean;
  events: AgentEvents;
  note(message: string): void;
  /** Stopped from outside, or out of time. */
  signal: AbortSignal;
}

type Ended = Exclude<Proposal, { kind: 'changes' }>;
const failedBy = (error: string): Ended => ({ kind: 'failed', failure: { kind: 'answer', error } });
const STOPPED: Ended = { kind: 'stopped' };
/** Answers that are cut off, one after the other. */
const MAX_CUT_OFFS = 3;

export function createLoopWorker(work: LoopWork): Worker {
  const { turns, events, signal } = work;
  let copy: Copy | undefined;
  let bench: Workbench | undefined;
  let talk: Talk = {
    messages: [
      { role: 'system', text: LOOP_SYSTEM },
      { role: 'user', text: work.text },
    ],
    state: { ...NEW_LOOP },
  };
  let turn = 1;
  let lastWords: string | undefined;
  /** Changes of before that could not be made again in a fresh copy. */
  let lost: string[] = [];

  function worldOf(open: Workbench): ToolWorld {
    const onRefused = (path: string, why: string) =>
      events.refused({ what: 'file', subject: path, why });
    return { ...work, folder: copy!.runsIn, bench: open, onRefused };
  }

  /** What it does with the copy, which is free again afterwards. */
  async function withBench<T>(use: (open: Workbench) => Promise<T>): Promise<T> {
    const program = insideProgram(copy!.runsIn);
    const open = createWorkbench(() => work.start(copy!, program));
    bench = open;
    const stopLooking = watchChanges({
      copy: copy!,
      isIgnored: work.isIgnored,
      mayWrite: (path) => work.whyNotWritten(path) === undefined,
      onChanged: events.changed,
    });
    const onStop = () => void open.close();
    signal.addEventListener('abort', onStop, { once: true });
    try {
      return await use(open);
    } finally {
      stopLooking();
      signal.removeEventListener('abort', onStop);
      await open.close();
      const hosts = new Map(open.refused().map((each) => [each.host, each]));
      for (const { host, reason } of hosts.values()) {
        events.refused({ what: 'host', subject: host, why: reason });
      }
    }
  }

  /** Undefined when the model is done. */
  async function converse(open: Workbench): Promise<Ended | undefined> {
    for (;;) {
      if (signal.aborted) return STOPPED;
      if (turn > work.maxTurns) {
        return failedBy(`The agent was not done after ${work.maxTurns} turns (maxTurns).`);
      }
      const asked = await turns.ask(turn, talk);
      talk = asked.talk;
      if (asked.answer.kind === 'ended') return asked.answer.proposal;
      const end = await takeAnswer(open, asked.answer);
      if (end !== 'more') return end;
      keepSmall(talk.messages, work.maxTokens);
      turn += 1;
    }
  }

  async function takeAnswer(
    open: Workbench,
    {
      message,
      isCutOff,
    }: Extract<Awaited<ReturnType<LoopTurns['ask']>>['answer'], { kind: 'said' }>,
  ): Promise<Ended | undefined | 'more'> {
    const { messages, state } = talk;
    const said = message.text?.trim() ?? '';
    if (said !== '') {
      lastWords = said;
      events.message(said);
    }
    messages.push(message);
    const calls = message.toolCalls ?? [];
    const made = await makeCalls(calls, { world: worldOf(open), state, events, signal });
    if (signal.aborted) return STOPPED;
    if (made.error !== undefined) return failedBy(made.error);
    messages.push(...made.results);
    if (made.done !== undefined) lastWords = made.done;
    // What it believes to have changed may be missing: then it is not done, whatever it says.
    if (made.done !== undefined && lost.length === 0) return undefined;
    const watched = watchTurn(state, made);
    if (watched.kind === 'end') return failedBy(watched.error);
    state.cutOffs = isCutOff ? state.cutOffs + 1 : 0;
    if (state.cutOffs >= MAX_CUT_OFFS) {
      return failedBy(`${MAX_CUT_OFFS} answers in a row were cut off.`);
    }
    const words: string[] = [];
    if (isCutOff) words.push(CUT_OFF);
    else if (calls.length === 0) {
      if (lost.length === 0) {
        if (state.hasChanged || state.isReminded) return undefined;
        state.isReminded = true;
        words.push(USE_THE_TOOLS);
      }
    }
    if (watched.kind === 'warn') words.push(watched.text);
    if (lost.length > 0) words.push(changedMeanwhile(lost));
    lost = [];
    if (words.length > 0) messages.push({ role: 'user', text: words.join('\n\n') });
    return 'more';
  }

  async function propose(): Promise<Proposal> {
    const { operations, problems } = await changesOf(copy!, work);
    if (problems.length > 0) {
      const failure = rejection(problems, 'The changes');
      return (await revise(problems)) ?? { kind: 'failed', failure };
    }
    if (operations.length === 0) {
      const words = lastWords ?? 'It said nothing.';
      return failedBy(`The agent changed nothing. Its last words: ${words.slice(-1000)}`);
    }
    const isLast = talk.state.revisions >= REVISIONS;
    return { kind: 'changes', operations, summary: lastWords ?? '', isLast };
  }

  async function attempt(prepare?: (open: Workbench) => Promise<void>): Promise<Proposal> {
    try {
      const end = await withBench(async (open) => {
        await prepare?.(open);
        return converse(open);
      });
      return end ?? (await propose());
    } catch (error) {
      if (signal.aborted) return STOPPED;
      if (error instanceof HaltedError) return { kind: 'halted', halt: error.halt };
      if (error instanceof WorkbenchError) return failedBy(`The sandbox: ${error.message}`);
      throw error;
    }
  }

  async function revise(problems: readonly ApplyProblem[]): Promise<Proposal | undefined> {
    for (const { path, message } of problems.slice(0, 50)) {
      events.refused({ what: 'file', subject: path, why: message });
    }
    if (talk.state.revisions >= REVISIONS || !mayUndo(problems)) return undefined;
    talk.state.revisions += 1;
    talk.messages.push({ role: 'user', text: agentRefusal(problems, 'tools') });
    turn += 1;
    return attempt();
  }

  return {
    async work() {
      const earlier = await turns.earlier();
      copy = await work.openCopy();
      if (earlier === undefined) return attempt();
      ({ talk, turn } = earlier);
      return attempt(async (open) => {
        lost = await repeatEffects(talk.messages, worldOf(open), signal);
      });
    },
    revise,
    accepted: () => turns.accepted(),
    lastWords: () => lastWords,
    async close() {
      await bench?.close();
    },
  };
}
