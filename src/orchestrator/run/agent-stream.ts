// A stream that an agent works on: what the agent is given, and where what it does is written down. What its calls cost
// is known by their token; a process that takes over counts what the tokens before it were used for.
import { createAgentWorker } from '../../agents/agent-worker.ts';
import type { AgentProgram } from '../../agents/agent-program.ts';
import { providerOf } from '../../agents/known/known-agents.ts';
import type { Proposal, Worker } from '../../agents/worker.ts';
import { MillraceError } from '../../client/index.ts';
import { routeModel } from '../../domain/model/model-routing.ts';
import { agentFix } from '../../domain/prompt/agent-task.ts';
import type { Halt } from '../../domain/run/halt.ts';
import type { StreamFailure } from '../../domain/run/failure-class.ts';
import { NO_TOKENS } from '../../domain/run/replay.ts';
import { createIgnoreTest } from '../../project/ignore-test.ts';
import { createPathRule } from '../apply/allowed-path.ts';
import { eventsOf, noteOf } from './agent-report.ts';
import { agentText } from './agent-text.ts';
import { countOwn, countUsage, endOpenTokens, keyOfOwn } from './agent-tokens.ts';
import { withFiles } from './apply-stream.ts';
import type { Attempt, RunContext } from './context.ts';
import { createKeptSession } from './kept-session.ts';
import { haltOf } from './model-caller.ts';

export function createAgentStream(
  context: RunContext,
  start: Attempt,
  program: AgentProgram,
): Worker {
  const { root, runId, options, runSandbox, replay, protectedPaths } = context;
  const { client, url, env } = options;
  const { task, attempt, fix, open, copy, signal } = start;
  const place = { stream: task.id, attempt };
  const rule = createPathRule({ owns: task.owns, protectedPaths });
  let call = Math.max(0, ...(open?.calls.map((one) => one.call) ?? []));
  const note = noteOf(context, task.id);
  const model = modelIdOf(task.model);

  async function whyRefused(message: string): Promise<StreamFailure | Halt | undefined> {
    const { run, streams } = await client.getRunCaps(runId);
    const left = (cap: { limitUsd: number; spentUsd: number } | null | undefined) =>
      cap ? cap.limitUsd - cap.spentUsd : Infinity;
    const [ofStream, ofRun] = [left(streams[task.id]), left(run)];
    if (ofStream < Infinity && ofStream <= ofRun) {
      return { kind: 'call', code: 'OVER_BUDGET', status: 402, error: message };
    }
    if (run) return { kind: 'budget', reason: message, spentUsd: run.spentUsd };
    return { kind: 'limited', reason: message };
  }

  const worker = createAgentWorker({
    program,
    text: agentText(task, { instructions: context.instructions, fix }),
    shortText: fix === undefined ? '' : agentFix(task, fix),
    sessions: createKeptSession(context, start, { program, model, note }),
    model,
    provider: providerOf(task.model),
    network: task.network,
    sandbox: runSandbox!.sandbox,
    limits: runSandbox!.limits,
    openCopy: () => withFiles(context, start, (turn) => turn.alone(copy.open)),
    access: {
      client,
      url,
      maxTurns: task.maxTurns,
      token: {
        runId,
        streamId: task.id,
        attempt,
        fence: replay.record.starts,
        models: [model],
      },
    },
    env,
    isIgnored: createIgnoreTest(root),
    mayWrite: (path) => rule.problemWith(path) === undefined,
    events: eventsOf(context, place),
    note,
    async onToken(id, isRevision) {
      call += 1;
      const asks = isRevision ? ('refused' as const) : ('restart' as const);
      await context.record({
        type: 'stream.call',
        ...place,
        call,
        key: id,
        model: task.model,
        reservedUsd: null,
        ...(call > 1 && { asks }),
      });
    },
    async onOwnCall(isRevision) {
      call += 1;
      const key = keyOfOwn({ ...place, call });
      const asks = isRevision ? ('refused' as const) : ('restart' as const);
      const about = { call, key, model: task.model, reservedUsd: null };
      await context.record({ type: 'stream.call', ...place, ...about, ...(call > 1 && { asks }) });
    },
    onOwnUse: (used) => countOwn(context, { ...place, call }, used),
    onUsed: (usage) => {
      if (usage !== undefined) countUsage(context, { ...place, call }, usage);
    },
    whyRefused,
    ...(options.agents?.silentMs !== undefined && { silentMs: options.agents.silentMs }),
    signal,
  });

  const reaching = async <T>(work: () => Promise<T>) =>
    work().catch((error: unknown) => notReached(error, task.model, signal));
  return {
    ...worker,
    work: () =>
      reaching(async () => {
        await endOpenTokens(context, place, open?.calls ?? []);
        await context.cap.keep(task, signal);
        const proposal = await worker.work();
        start.onAnswered();
        return proposal;
      }),
    revise: (problems) => reaching(() => worker.revise(problems)),
  };
}

/** The vendor's own name for it: a prefix that chooses the vendor is ours. */
function modelIdOf(model: string): string {
  const route = routeModel(model);
  return route.kind === 'routed' ? route.model : model;
}

/** The server could not be asked: as for a call of a model. */
function notReached(error: unknown, model: string, signal: AbortSignal): Proposal {
  if (signal.aborted) return { kind: 'stopped' };
  if (!(error instanceof Error) || !('status' in error || error.name === 'MillraceConnectionError'))
    throw error;
  const nothing = { tokens: { ...NO_TOKENS }, costUsd: 0 };
  const { code, status } =
    error instanceof MillraceError
      ? { code: error.code, status: error.status }
      : { code: 'UNREACHABLE', status: undefined };
  const { message } = error;
  const halt = haltOf({ kind: 'failed', error: message, code, status, ...nothing }, model);
  if (halt !== undefined) return { kind: 'halted', halt };
  return { kind: 'failed', failure: { kind: 'call', code, status, error: message } };
}
