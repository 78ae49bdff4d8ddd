// The commands of a stream: what is in their environment, and what follows from how they end.
import { isPackageFile } from '../../manifest/compose/hub-files.ts';
import { ANSWER } from '../../manifest/model.ts';
import type { CommandPhase } from '../../contract/run-events.ts';
import { appliedDirOf } from '../apply/record.ts';
import { undoApplied } from '../apply/transaction.ts';
import type { CommandContext, CommandsOutcome } from '../commands/run-command.ts';
import { runSetup, runVerify, runWorkflowCommands } from '../commands/run-command.ts';
import { commitTask } from '../git/commit-work.ts';
import type { Attempt, RunContext } from './context.ts';
import type { FileTurn } from './file-lane.ts';
import { rechecksFor } from './recheck.ts';
import type { Applied } from './stream-outcome.ts';

const KEPT_OUTPUT = 8 * 1024;

async function commandContext(
  context: RunContext,
  { task, attempt, signal }: Attempt,
  { number }: FileTurn,
  { phase, checks }: { phase: CommandPhase; checks?: string },
): Promise<CommandContext> {
  const about = checks === undefined ? {} : { checks };
  const of = { stream: task.id, attempt, phase, ...about };
  const port = await context.portsFor(number);
  const { commandSandbox: sandbox } = context;
  const place = { ...(sandbox && { sandbox }), keepsDependencies: phase === 'setup' };
  const sandboxed = sandbox && { sandboxed: true as const };
  return {
    root: context.root,
    ...place,
    env: {
      ...context.options.env,
      MILLRACE_STREAM: task.root ?? task.id,
      MILLRACE_PORT_BASE: String(port),
    },
    timeoutMs: task.timeoutMs,
    signal,
    scrub: context.options.scrub,
    onStart: (command) =>
      void context.emit({ type: 'command.started', ...of, command, ...sandboxed }),
    onEnd: (result) => {
      const { command, exitCode, timedOut, durationMs, critical, limit } = result;
      const ok = exitCode === 0 && !timedOut;
      context.emit({
        type: 'command.finished',
        ...of,
        command,
        ok,
        exitCode,
        timedOut,
        durationMs,
        critical,
        ...sandboxed,
        ...(limit !== undefined && { limit }),
        ...(!ok && { output: result.output.slice(-KEPT_OUTPUT) }),
      });
    },
  };
}

/** Undefined when all went well. */
export async function runSetupOf(
  context: RunContext,
  start: Attempt,
  turn: FileTurn,
): Promise<Applied | undefined> {
  const commands = await commandContext(context, start, turn, { phase: 'setup' });
  const outcome = await runSetup(start.task.setup, commands);
  if (outcome.ok) return undefined;
  if (outcome.cancelled) return { kind: 'stopped' };
  return { kind: 'failed', failure: { kind: 'setup', results: outcome.results } };
}

async function ownChecks(
  context: RunContext,
  start: Attempt,
  turn: FileTurn,
): Promise<CommandsOutcome> {
  const { verify, commands } = start.task;
  if (verify.length + commands.length === 0) return { ok: true, cancelled: false, results: [] };
  if (commands.length > 0) {
    const about = await commandContext(context, start, turn, { phase: 'command' });
    return runWorkflowCommands(commands, about);
  }
  return runVerify(verify, await commandContext(context, start, turn, { phase: 'verify' }));
}

/** After an agent changed what has to be installed. */
async function setupAgain(
  context: RunContext,
  start: Attempt,
  turn: FileTurn,
  files: readonly string[],
): Promise<CommandsOutcome | undefined> {
  const { agent, setup } = start.task;
  if (agent === ANSWER || setup.length === 0 || !files.some(isPackageFile)) return undefined;
  const commands = await commandContext(context, start, turn, { phase: 'setup' });
  return turn.alone(() => runSetup(setup, commands));
}

/** Its own, then those of streams whose files it touched. */
async function allChecks(
  context: RunContext,
  start: Attempt,
  turn: FileTurn,
  files: readonly string[],
): Promise<CommandsOutcome> {
  const installed = await setupAgain(context, start, turn, files);
  if (installed !== undefined && !installed.ok) return installed;
  const own = await ownChecks(context, start, turn);
  if (!own.ok || context.options.recheck === false) return own;
  const results = [...own.results];
  const isReview = start.fix?.review !== undefined;
  for (const { stream, commands } of rechecksFor(context, start.task, files, { isReview })) {
    const about = { phase: 'recheck' as const, checks: stream };
    const again = await runVerify(commands, await commandContext(context, start, turn, about));
    results.push(...again.results.map((result) => ({ ...result, checks: stream })));
    if (!again.ok) return { ...again, results };
  }
  return { ...own, results };
}

export async function verifyWritten(
  context: RunContext,
  start: Attempt,
  turn: FileTurn,
): Promise<Applied> {
  const { task, attempt, clock } = start;
  const { root, stateDir, runId } = context;
  const record = appliedDirOf({ root, stateDir, runId, streamId: task.id, attempt });
  const files = await record.files();
  const outcome = await allChecks(context, start, turn, files);
  if (outcome.ok) {
    await turn.alone(() => commitTask(context, start, files));
    return { kind: 'complete', files };
  }
  const whyEnded = clock.signal.aborted ? 'it took too long' : 'stopped';
  const reason = outcome.cancelled ? whyEnded : 'check failed';
  await turn.alone(async () => undoApplied(context, record.dir));
  await context.record({ type: 'stream.rolled_back', stream: task.id, attempt, reason });
  if (outcome.cancelled) return { kind: 'stopped' };
  const { results } = outcome;
  return { kind: 'failed', failure: { kind: 'verify', results, written: files } };
}
