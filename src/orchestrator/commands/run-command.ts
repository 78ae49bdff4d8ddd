// One command of a manifest: in a shell, in the project's root, with nothing to read from. It ends by
// itself, by its time or by a stop, and everything it started ends with it.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowCommand } from '../../manifest/model.ts';
import type { CommandSandbox } from './command-sandbox.ts';
import { startCommand } from './command-process.ts';
import type { CommandProcess, Exit } from './command-process.ts';
import { createOutputRing } from './output-ring.ts';

export interface CommandResult {
  command: string;
  exitCode: number | null;
  signal: string | null;
  timedOut: boolean;
  cancelled: boolean;
  durationMs: number;
  /** The last of it, both streams in the order they were written, without secrets. */
  output: string;
  outputTruncated: boolean;
  critical: boolean;
  /** It ran in the sandbox. */
  sandboxed?: true;
  /** The limit of the sandbox that it passed, as a sentence. */
  limit?: string;
  /** The stream whose check it is, when it is another one's. */
  checks?: string;
}

export interface CommandContext {
  /** The project's root: where every command runs. */
  root: string;
  env: NodeJS.ProcessEnv;
  /** Where commands run; on this machine as the user does, where it is left out. */
  sandbox?: CommandSandbox;
  /** In the sandbox: what it writes into folders of dependencies is there for later commands. */
  keepsDependencies?: boolean;
  /** For each command. */
  timeoutMs: number;
  signal: AbortSignal;
  scrub(text: string): string;
  onStart?(command: string): void;
  onEnd?(result: CommandResult): void;
}

type End =
  | ({ kind: 'exited' } & Exit)
  | { kind: 'unstartable'; error: Error }
  | { kind: 'timed_out' }
  | { kind: 'cancelled' };

const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** How long output may go on after the end, by what could not be ended. */
const DRAIN_LOOKS = 40;
const QUIET_LOOKS = 5;
const LOOK_EVERY_MS = 40;

export function isOk(result: CommandResult): boolean {
  return result.exitCode === 0 && !result.timedOut && !result.cancelled;
}

/** The first of the ways in which it can end; listeners and timers are gone afterwards. */
async function endOf(
  { exited }: CommandProcess,
  { timeoutMs, signal }: CommandContext,
): Promise<End> {
  const over = Promise.withResolvers<End>();
  const timer = setTimeout(
    () => over.resolve({ kind: 'timed_out' }),
    Math.min(timeoutMs, LONGEST_TIMER_MS),
  );
  const onAbort = () => over.resolve({ kind: 'cancelled' });
  signal.addEventListener('abort', onAbort, { once: true });
  exited.then(
    (exit) => over.resolve({ kind: 'exited', ...exit }),
    (error: Error) => over.resolve({ kind: 'unstartable', error }),
  );
  if (signal.aborted) onAbort();
  try {
    return await over.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Waits for the rest of the output. A process that could not be ended may hold the pipe open: after
 * a quiet moment we stop listening.
 */
async function drain({ outputs: streams }: CommandProcess, outputs: () => number): Promise<void> {
  const closed = Promise.all(
    streams.map(async (stream) => stream.closed || once(stream, 'close').catch(() => undefined)),
  ).then(() => true);
  // Counted in looks, not in time: between two of them the pipe is read, however slow we are.
  let quiet = 0;
  for (let look = 0; look < DRAIN_LOOKS && quiet < QUIET_LOOKS; look++) {
    const before = outputs();
    if (await Promise.race([closed, delay(LOOK_EVERY_MS, false)])) return;
    quiet = outputs() === before ? quiet + 1 : 0;
  }
  for (const stream of streams) stream.destroy();
}

export async function runCommand(
  command: string,
  context: CommandContext,
  critical = true,
): Promise<CommandResult> {
  const startedAt = performance.now();
  const ring = createOutputRing();
  const result = (end: End, note = ''): CommandResult => {
    const { output, outputTruncated } = ring.end(context.scrub);
    const { exitCode, signal, limit }: Exit =
      end.kind === 'exited' ? end : { exitCode: null, signal: null };
    return {
      command,
      exitCode,
      signal,
      timedOut: end.kind === 'timed_out',
      cancelled: end.kind === 'cancelled',
      durationMs: Math.round(performance.now() - startedAt),
      output: output + note,
      outputTruncated,
      critical,
      ...(context.sandbox && { sandboxed: true as const }),
      ...(limit !== undefined && { limit }),
    };
  };
  if (context.signal.aborted) return result({ kind: 'cancelled' });
  const started = await (context.sandbox?.start(command, context) ??
    startCommand(command, context));
  let outputs = 0;
  for (const stream of started.outputs) {
    // A reader that fails (the pipe breaks) has nothing more to say; the exit status says the rest.
    stream.on('error', () => undefined);
    stream.setEncoding('utf8').on('data', (text: string) => {
      outputs += 1;
      ring.push(text);
    });
  }
  // A process that ends in the middle of a command must not leave the command behind.
  const onExit = () => started.kill();
  process.once('exit', onExit);
  try {
    const end = await endOf(started, context);
    if (end.kind === 'unstartable') {
      return result(end, `The command could not be started: ${end.error.message}\n`);
    }
    const isGone = await started.end();
    await drain(started, () => outputs);
    const notes = started.notes?.() ?? [];
    if (end.kind === 'exited' && end.limit !== undefined) notes.push(end.limit);
    if (!isGone) notes.push('Some processes of this command could not be ended.');
    return result(end, notes.map((note) => `\n${context.scrub(note)}\n`).join(''));
  } finally {
    process.off('exit', onExit);
  }
}

// The commands of a stream, one after another, by the rule of their phase.

export interface CommandsOutcome {
  ok: boolean;
  cancelled: boolean;
  results: CommandResult[];
}

async function runInOrder(
  commands: readonly WorkflowCommand[],
  context: CommandContext,
  continuesAfter: (failed: CommandResult) => boolean,
): Promise<CommandsOutcome> {
  const results: CommandResult[] = [];
  for (const { command, critical } of commands) {
    if (context.signal.aborted) return { ok: false, cancelled: true, results };
    context.onStart?.(command);
    const result = await runCommand(command, context, critical);
    results.push(result);
    context.onEnd?.(result);
    if (result.cancelled) return { ok: false, cancelled: true, results };
    if (!isOk(result) && !continuesAfter(result)) break;
  }
  const ok = results.every((result) => isOk(result) || !result.critical);
  return { ok, cancelled: false, results };
}

const allCritical = (commands: readonly string[]): WorkflowCommand[] =>
  commands.map((command) => ({ command, critical: true }));

/** The first that fails is the last that runs: the next ones would build on it. */
export async function runSetup(
  commands: readonly string[],
  context: CommandContext,
): Promise<CommandsOutcome> {
  return runInOrder(allCritical(commands), context, () => false);
}

/** All of them run: a fix needs to know everything that is wrong, not only the first. */
export async function runVerify(
  commands: readonly string[],
  context: CommandContext,
): Promise<CommandsOutcome> {
  return runInOrder(allCritical(commands), context, () => true);
}

/** Only a critical one that fails ends it; the failure of another is noted in the results. */
export async function runWorkflowCommands(
  commands: readonly WorkflowCommand[],
  context: CommandContext,
): Promise<CommandsOutcome> {
  return runInOrder(commands, context, ({ critical }) => !critical);
}
