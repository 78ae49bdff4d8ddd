// What happens in a run, in order: the one table of its events. The same lines are the journal on
// disk, the output of `run --json` and what `watch`, `status`, `logs` and `explain` read. Readers
// leave out types that they do not know, and fields are only ever added: one with a default may be
// missing in a journal of an earlier version.
import { z } from 'zod';
import { StreamStatus } from './history-api.ts';

const text = z.string();
const count = z.number();
const texts = z.array(text);
const costUsd = count.nullable().describe('null when a price is not known');
const estimatedUsd = count
  .nullable()
  .optional()
  .describe(
    'what an agent with the login of the person says that it cost, no part of costUsd; null when it does not say, missing for all others',
  );
const durationMs = count;

export const Tokens = z.object({ input: count, output: count, cachedInput: count });
export type Tokens = z.infer<typeof Tokens>;

export const FileChangeSummary = z.object({
  path: text,
  kind: z.enum(['create', 'edit', 'delete']).default('edit'),
  additions: count.default(0),
  deletions: count.default(0),
});
export type FileChangeSummary = z.infer<typeof FileChangeSummary>;

export const RunTotals = z.object({
  streams: z.record(StreamStatus, count),
  fixes: count,
  tokens: Tokens,
  costUsd,
  knownCostUsd: count.default(0).describe('what the calls with a known price came to'),
  unpricedCalls: count.default(0).describe('calls whose cost is not known'),
  cachedCalls: count.default(0).describe('answers that were used again, without a call'),
  savedUsd: count.default(0).describe('what those answers cost when they were made'),
  estimatedUsd,
  durationMs,
  filesChanged: texts,
});
export type RunTotals = z.infer<typeof RunTotals>;

export const ListedStream = z.object({
  id: text,
  name: text,
  wave: count,
  status: StreamStatus,
  waitsFor: texts,
  after: texts
    .optional()
    .describe('those of waitsFor that it does not depend on, but that may write the same files'),
  leftOut: z
    .literal(true)
    .optional()
    .describe('skipped only because other streams were named; counts as done'),
});
export type ListedStream = z.infer<typeof ListedStream>;

/** Streams that were named on the command line; empty lists mean all. */
export const NamedStreams = z.object({ only: texts.readonly(), from: texts.readonly() });
export type NamedStreams = z.infer<typeof NamedStreams>;

export const CommandPhase = z.enum(['setup', 'verify', 'command', 'recheck']);
export type CommandPhase = z.infer<typeof CommandPhase>;

export const WaitReason = z.enum([
  'rate_limited',
  'key_paused',
  'retry',
  'concurrency',
  'files',
  'review',
  'approval',
]);
export type WaitReason = z.infer<typeof WaitReason>;

export const FollowUpReason = z.enum(['files', 'again', 'longer', 'refused', 'restart']);
export type FollowUpReason = z.infer<typeof FollowUpReason>;

/** Of a ladder of models; `number` counts from 1. */
export const Rung = z.object({ number: count, of: count, model: text });
export type Rung = z.infer<typeof Rung>;

const attempt = { stream: text, attempt: count };
const command = {
  ...attempt,
  phase: CommandPhase,
  command: text,
  checks: text.optional().describe('of a recheck: the stream whose command it is'),
  sandboxed: z.literal(true).optional().describe('it runs in the sandbox'),
};
const ended = { ...attempt, wave: count, durationMs, tokens: Tokens, costUsd, estimatedUsd };
const end = { totals: RunTotals, reason: text.optional() };

interface EventKind {
  about: string;
  fields: z.ZodObject;
}

const kind = <Shape extends z.ZodRawShape>(about: string, shape: Shape) => ({
  about,
  fields: z.looseObject(shape),
});

export const RUN_EVENTS = {
  'run.started': kind('A run begins, or is resumed.', {
    runId: text,
    manifest: text.describe('its name'),
    file: text.describe('its path in the project'),
    notation: z.enum(['A', 'B']).default('B'),
    model: text.default(''),
    models: texts.optional().describe('those of its streams, each once'),
    simulated: z.boolean().default(false),
    concurrency: count.default(1),
    maxCostUsd: count.optional().describe('its budget; missing when it has none'),
    resumed: z.boolean().default(false),
    url: text.default(''),
    sandbox: z
      .object({ hosts: texts })
      .optional()
      .describe('commands run in the sandbox, and may reach these hosts; missing when they do not'),
    branch: z
      .object({ name: text, base: text, origin: text })
      .optional()
      .describe(
        'it works on a branch of its own: its name, the commit it began at, and the run that made it',
      ),
    agentsWithoutSandbox: z
      .literal(true)
      .optional()
      .describe('its agents work without a sandbox, because the person said so; missing otherwise'),
    requestId: text
      .optional()
      .describe('the request that a runner makes it for; missing otherwise'),
    args: texts.optional().describe('flags that `millrace run` needs again to resume it, as words'),
    named: NamedStreams.optional().describe('missing when no streams were named'),
    streams: z.array(ListedStream),
  }),
  'run.note': kind('Something a person should know.', {
    level: z.enum(['info', 'warning']).default('info'),
    code: text,
    message: text,
    about: text.optional().describe('the stream it is about'),
  }),
  'stream.started': kind('An attempt at a stream begins.', {
    ...attempt,
    wave: count,
    rung: Rung.optional().describe('of a stream with several models: which one this attempt asks'),
    agent: text.optional().describe('who works on it; missing for a model that answers'),
  }),
  'stream.context': kind('What the model is shown, and what had to be left out.', {
    ...attempt,
    files: count.default(0),
    tokens: count.default(0),
    omitted: z.array(z.object({ path: text, reason: text })),
  }),
  'stream.call': kind('A model call is about to be made.', {
    ...attempt,
    call: count,
    key: text.describe('by which the server recognizes a repeated call'),
    model: text.optional(),
    reservedUsd: costUsd.default(null),
    asks: FollowUpReason.optional().describe(
      'of a later call: shows files that were asked for, asks again for what cannot be used, gives more room to an answer that was cut off, has an agent do without files that were refused, or starts one again after the run was cut off',
    ),
    turn: count.optional().describe('of the built-in agent: the turn that it is'),
  }),
  'stream.job': kind('The server has accepted the call.', { ...attempt, call: count, jobId: text }),
  'stream.waiting': kind('A stream waits; the next event of the stream ends the wait.', {
    ...attempt,
    reason: WaitReason,
    until: text.optional().describe('ISO 8601, where it is known'),
    detail: text.optional().describe('why, in words'),
  }),
  'stream.progress': kind('The answer grows; shown live, not kept.', {
    ...attempt,
    outputTokens: count,
  }),
  'stream.answer': kind('A call has ended.', {
    ...attempt,
    call: count,
    ok: z.boolean(),
    tokens: Tokens,
    costUsd,
    estimatedUsd,
    error: text.optional(),
  }),
  'stream.cached': kind('The same was asked before; the answer is used again, without a call.', {
    ...attempt,
    call: count,
    tokens: Tokens.describe('what the answer took then'),
    savedUsd: costUsd.default(null),
  }),
  'agent.session': kind('An agent continues its session of the attempt before, or cannot.', {
    ...attempt,
    continued: z.boolean(),
    why: text.optional().describe('why the session is new, where there was one to continue'),
  }),
  'agent.turn': kind('A model call of an agent has ended.', {
    ...attempt,
    turn: count,
    ok: z.boolean(),
    durationMs: durationMs.default(0),
    error: text.optional(),
  }),
  'agent.tool': kind('An agent uses a tool.', {
    ...attempt,
    name: text,
    argument: text.default('').describe('the most telling one, cut'),
    durationMs: count.optional(),
  }),
  'agent.refused': kind('An agent tried what it may not.', {
    ...attempt,
    what: z.enum(['file', 'host', 'permission']),
    subject: text,
    why: text,
  }),
  'agent.message': kind('What an agent says. Nothing is decided by it.', { ...attempt, text }),
  'agent.thought': kind('What an agent thinks, where it sends that.', { ...attempt, text }),
  'agent.changed': kind('What an agent has changed in its copy so far.', {
    ...attempt,
    files: count.describe('those that its stream owns'),
    additions: count,
    deletions: count,
    outside: count.default(0).describe('other files that it changed; they are not listed'),
    list: z.array(FileChangeSummary).describe('the first 100 of files'),
  }),
  'stream.applied': kind('Files were written.', { ...attempt, files: z.array(FileChangeSummary) }),
  'stream.rolled_back': kind('Files are as they were before the attempt.', {
    ...attempt,
    reason: text,
  }),
  'stream.committed': kind('The files of a finished stream are a commit.', {
    ...attempt,
    commit: text,
  }),
  'command.started': kind('A command of the manifest starts.', command),
  'command.finished': kind('A command of the manifest has ended.', {
    ...command,
    ok: z.boolean(),
    exitCode: count.nullable().default(null),
    timedOut: z.boolean().default(false),
    durationMs: durationMs.default(0),
    critical: z.boolean().default(true),
    limit: text.optional().describe('the limit of the sandbox that it passed, as a sentence'),
    output: text.optional().describe('the end of what it printed, when it failed'),
  }),
  'stream.completed': kind('A stream is complete.', {
    ...ended,
    files: texts,
    appliedAt: text.optional(),
    kept: z.literal(true).optional().describe('the answer was kept and not applied'),
  }),
  'stream.failed': kind('An attempt at a stream has failed.', {
    ...ended,
    error: text,
    class: text.default(''),
    retryable: z.boolean().default(false),
    mayFix: z.boolean().default(false).describe('whether a fix may be tried for such an error'),
    climbs: z
      .literal(true)
      .optional()
      .describe('the next attempt asks the next model of the ladder, where there is one'),
  }),
  'stream.denied': kind('A person did not approve what a stream was about to do.', {
    ...ended,
    what: text.describe('what was asked about, such as changes'),
    by: text.optional().describe('missing when nobody answered in time'),
    comment: text.optional(),
    error: text.describe('who denied what, as a sentence'),
    denied: z.literal(true),
  }),
  'stream.postponed': kind('An attempt was stopped; the stream is pending again.', {
    ...attempt,
    reason: text,
  }),
  'stream.fix': kind(
    'A fix stream was added for a stream that failed, or that a review asks changes of.',
    {
      stream: text,
      fix: text.describe('its id'),
      attempt: count,
      of: count,
    },
  ),
  'stream.status': kind('The end of another stream, or a person, changed the state of this one.', {
    stream: text,
    from: StreamStatus,
    to: StreamStatus,
    cause: text.default('').describe('the stream that caused it; itself for a person'),
  }),
  'run.reverted': kind('What the run wrote was reverted; may follow its end.', {
    files: texts,
    streams: texts.describe('those that are pending again'),
  }),
  'run.reviewed': kind(
    'A person has submitted a review of what the run wrote; may follow its end.',
    {
      files: texts.describe('from which something was taken back'),
      accepted: count.describe('hunks'),
      rejected: count,
      commits: texts.default([]).describe('of what was taken back, for a run that makes commits'),
      round: count.optional().describe('missing when no changes were asked for'),
      comments: count.optional(),
      fixes: z
        .array(z.object({ stream: text, fix: text }))
        .optional()
        .describe('streams that make the changes that were asked for: the run continues with them'),
    },
  ),
  'run.paused': kind('The run cannot continue for now; it can be resumed.', {
    ...end,
    reason: text,
  }),
  'run.completed': kind('Every stream is complete or skipped.', end),
  'run.failed': kind('A stream failed, and no attempt is left.', end),
  'run.cancelled': kind('The run was stopped.', end),
} as const satisfies Record<string, EventKind>;

export type RunEventType = keyof typeof RUN_EVENTS;

/** Of a loose object, without the index that lets any other field in. */
type Known<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

export type RunEventBody = {
  [Type in RunEventType]: { type: Type } & Known<z.infer<(typeof RUN_EVENTS)[Type]['fields']>>;
}[RunEventType];

/** `v` is the version of the format, `seq` counts the events of a run, `ts` is ISO 8601. */
export type RunEvent = { v: 1; seq: number; ts: string } & RunEventBody;

const Any = z.looseObject({ v: z.literal(1), seq: count, ts: text, type: text });

/** Whether a value has the shape of an event; fields and types of later versions are let through. */
export function isRunEvent(value: unknown): value is RunEvent {
  const any = Any.safeParse(value);
  if (!any.success) return false;
  const known = Object.hasOwn(RUN_EVENTS, any.data.type)
    ? RUN_EVENTS[any.data.type as RunEventType]
    : undefined;
  return known?.fields.safeParse(value).success ?? true;
}
