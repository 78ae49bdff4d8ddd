// A stream that the built-in agent works on. Each of its turns is a call as any other: recorded before it is sent, counted
// once, within the limits of the run and the stream.
import { z } from 'zod';
import type { AgentEvents } from '../../agents/agent-events.ts';
import { createLoopWorker } from '../../agents/loop/loop-worker.ts';
import { SPECS } from '../../agents/loop/tools.ts';
import type { LoopTurns, Talk } from '../../agents/loop/turns.ts';
import { LoopState } from '../../agents/loop/watch-turns.ts';
import type { Worker } from '../../agents/worker.ts';
import type { NewTurn } from '../../client/index.ts';
import { AssistantMessage, Messages, Tools } from '../../contract/conversation-api.ts';
import { isSecret } from '../../domain/artifact/secret-path.ts';
import { defaultMaxTokens } from '../../domain/model/answer-length.ts';
import { contextWindowOf } from '../../domain/model/context-window.ts';
import { createIgnoreTest } from '../../project/ignore-test.ts';
import { sandboxEnvironment } from '../../sandbox/environment.ts';
import { createPathRule } from '../apply/allowed-path.ts';
import { NODE_VARIABLE } from '../commands/command-env.ts';
import { readRecord, turnFileOf, writeRecord } from '../state/run-folder.ts';
import { eventsOf, noteOf } from './agent-report.ts';
import { agentText, loopCommands } from './agent-text.ts';
import type { AnsweredQuestion } from './answer-cache.ts';
import { withFiles } from './apply-stream.ts';
import { askModel, jobBasics } from './ask-model.ts';
import { askPerson } from './ask-person.ts';
import type { Attempt, RunContext } from './context.ts';
import type { Asking, QuestionFiles } from './question.ts';
import { withoutAnswer } from './read-answer.ts';
import type { RunTask } from './task.ts';

/** What one turn says and thinks; a change that is longer is made in several. */
const TURN_TOKENS = 32_000;
/** Above this a turn costs more than what it still remembers is worth. */
const MOST_TOKENS = 120_000;
const SHARE_OF_WINDOW = 0.6;

/** The loopback inside is its own: every port is free. */
const PORT_BASE = '20000';

interface TurnQuestion extends Asking {
  job: NewTurn;
  state: LoopState;
}

const KeptTurn = z.looseObject({
  streamId: z.string(),
  model: z.string(),
  maxTokens: z.int().min(1),
  messages: Messages,
  tools: Tools,
  state: LoopState,
});

const TURNS: QuestionFiles<TurnQuestion> = {
  async read({ stateDir, runId }, place) {
    const read = await readRecord(turnFileOf(stateDir, runId, place), KeptTurn);
    if (read === undefined) return undefined;
    const { state, ...job } = read;
    return { job, state };
  },
  write: ({ stateDir, runId }, place, { job, state }) =>
    writeRecord(turnFileOf(stateDir, runId, place), { ...job, state }),
};

function turnTokens({ model, maxTokens, mayAskMore, maxCostUsd }: RunTask, context: RunContext) {
  // Of the manifest, or of the person.
  if (mayAskMore === undefined) return maxTokens;
  const { priceOf } = context.options;
  const limited = defaultMaxTokens(model, 0, { maxCostUsd, priceOf });
  return Math.min(maxTokens, limited, TURN_TOKENS);
}

export function createLoopStream(context: RunContext, start: Attempt): Worker {
  const { root, runSandbox, protectedPaths, options } = context;
  const { task, attempt, fix, clock, signal } = start;
  const place = { stream: task.id, attempt };
  const events = eventsOf(context, place);
  const rule = createPathRule({ owns: task.owns, protectedPaths });
  const isIgnored = createIgnoreTest(root);
  const commands = loopCommands(task, options.agents?.commands);
  const hosts = typeof task.network === 'string' ? [] : task.network;
  const window = contextWindowOf(task.model, task.windowTokens);
  const text = agentText(task, { instructions: context.instructions, fix, commands });

  async function ask(question: string): Promise<string | undefined> {
    clock.pause();
    try {
      return await askPerson(context, start, question);
    } finally {
      clock.resume();
    }
  }

  const worker = createLoopWorker({
    text,
    maxTurns: task.maxTurns,
    maxTokens: Math.min(MOST_TOKENS, Math.floor(window * SHARE_OF_WINDOW)),
    turns: turnsOf(context, start, events),
    commands,
    openCopy: () => withFiles(context, start, (turn) => turn.alone(start.copy.open)),
    start: (copy, program) =>
      runSandbox!.sandbox.start({
        command: [runSandbox!.sandbox.nodeInside, '--no-warnings', '--eval', program],
        folder: { kind: 'copy', copy },
        environment: sandboxEnvironment(options.env, {
          MILLRACE_STREAM: task.id,
          MILLRACE_PORT_BASE: PORT_BASE,
          [NODE_VARIABLE]: runSandbox!.sandbox.nodeInside,
        }),
        // Also where nothing may be reached: the proxy is who sees what was tried.
        network: { kind: 'hosts', hosts },
        // The time is the caller's.
        limits: { ...runSandbox!.limits, timeoutMs: Infinity },
      }),
    isIgnored,
    isHidden: (path) => isSecret(path) || isIgnored(path),
    whyNotWritten: (path) => rule.problemWith(path),
    ask,
    events,
    note: noteOf(context, task.id),
    signal,
  });
  return {
    ...worker,
    async work() {
      const proposal = await worker.work();
      start.onAnswered();
      return proposal;
    },
  };
}

function turnsOf(context: RunContext, start: Attempt, events: AgentEvents): LoopTurns {
  const { task, attempt, open } = start;
  const maxTokens = turnTokens(task, context);
  const answered: AnsweredQuestion[] = [];
  const { streamId, model, ...rest } = jobBasics(context, start);
  const jobOf = ({ messages }: Talk): NewTurn => ({
    streamId,
    messages: [...messages],
    tools: SPECS,
    model,
    maxTokens,
    ...rest,
  });

  return {
    async earlier() {
      const last = Math.max(0, ...(open?.calls.map(({ call }) => call) ?? []));
      for (let turn = last; turn > 0; turn--) {
        const read = await TURNS.read(context, { stream: task.id, attempt, call: turn });
        if (read === undefined) continue;
        return { turn, talk: { messages: [...read.job.messages], state: read.state } };
      }
      return undefined;
    },
    async ask(turn, talk) {
      const since = performance.now();
      const made = async () => ({ job: jobOf(talk), state: { ...talk.state } });
      const asking = { call: turn, question: made, files: TURNS };
      const { asked, question } = await askModel(context, start, asking);
      const ok = asked.kind === 'answered';
      const durationMs = Math.round(performance.now() - since);
      const error = asked.kind === 'failed' ? { error: asked.error } : {};
      if (asked.kind !== 'stopped') events.turn({ number: turn, ok, durationMs, ...error });
      const real = { messages: [...question.job.messages], state: question.state };
      if (!ok) {
        return { answer: { kind: 'ended', proposal: withoutAnswer(start, asked) }, talk: real };
      }
      if (!asked.isCached) answered.push({ job: question.job, end: asked });
      // In one order of its fields, wherever it comes from: the next question is known again by its text.
      const message = AssistantMessage.parse(
        asked.assistantMessage ?? { role: 'assistant', text: asked.output },
      );
      const isCutOff = asked.cutOff !== undefined;
      return { answer: { kind: 'said', message, isCutOff }, talk: real };
    },
    accepted: async () => context.answers.keep(answered),
  };
}
