// Bodies of /api/v1: jobs.
import { z } from 'zod';
import { Artifact } from './artifact.ts';
import { AssistantMessage, Messages, ToolCall, Tools } from './conversation-api.ts';
import { argumentsTextOf, lastUserText } from './conversation-texts.ts';
import type { Message, ToolSpec } from './conversation-api.ts';
import { conversationProblems } from './conversation-rules.ts';
import {
  DEFAULT_TIMEOUT_MS,
  MAX_PROMPT_BYTES,
  MAX_TOKENS_LIMIT,
  RunId,
  StreamId,
  ProviderOverride,
  Reasoning,
  ServiceTier,
  Timestamp,
  TokensUsed,
  plainText,
} from './fields.ts';
import { isNestedAtMost } from './nesting.ts';

export const StructuredPrompt = z
  .object({
    systemContent: z.string().optional(),
    projectContext: z.string().optional(),
    streamContext: z.string().optional(),
    taskContent: z.string().optional(),
    fullPrompt: z.string().optional(),
    cachingHints: z
      .array(z.unknown())
      .max(100)
      .refine((hints) => isNestedAtMost(hints, 20), {
        message: 'must not be nested deeper than 20',
      })
      .optional(),
  })
  .meta({
    id: 'StructuredPrompt',
    description:
      'The prompt split into parts that providers can cache. Ignored if the parts do not add up to `prompt`.',
  });

interface Asked {
  prompt?: string | undefined;
  messages?: readonly Message[] | undefined;
  tools?: readonly ToolSpec[] | undefined;
  structuredPrompt?: object | undefined;
}

/** Also where other fields are wrong: all that is missing is reported at once. */
const requirePrompt = z.check<Asked>(({ value, issues }) => {
  if (value?.prompt !== undefined || value?.messages !== undefined) return;
  issues.push({ code: 'invalid_type', expected: 'string', path: ['prompt'], input: undefined });
});
requirePrompt._zod.def.when = ({ value }) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function bytesOf({ messages = [], tools = [] }: Asked): number {
  const texts = messages.flatMap((message) =>
    message.role === 'assistant'
      ? [message.text ?? '', ...(message.toolCalls ?? []).map(argumentsTextOf)]
      : [message.text],
  );
  if (tools.length > 0) texts.push(JSON.stringify(tools));
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function* problemsOf(request: Asked) {
  const { prompt, messages, tools, structuredPrompt } = request;
  if (messages === undefined && tools === undefined) return;
  yield* conversationProblems(request);
  if (messages !== undefined && prompt !== undefined && prompt !== lastUserText(messages)) {
    const message = 'must be the text of the last user message; leave it out';
    yield { path: ['prompt'], message };
  }
  if (structuredPrompt !== undefined) {
    const message = 'does not go with messages or tools; send a system message in messages instead';
    yield { path: ['structuredPrompt'], message };
  }
  if (bytesOf(request) > MAX_PROMPT_BYTES) {
    const message = 'must have at most 4 MiB of UTF-8 in all texts, arguments and tools together';
    yield { path: [messages === undefined ? 'tools' : 'messages'], message };
  }
}

export const ExecuteRequest = z
  .object({
    streamId: StreamId,
    prompt: z
      .string()
      .min(1)
      .refine((text) => Buffer.byteLength(text) <= MAX_PROMPT_BYTES, {
        message: 'must be at most 4 MiB of UTF-8',
      })
      .optional()
      .meta({
        description:
          'Full prompt with context and instructions. Required without `messages`; with them, it is the text of the last user message and can be left out',
        example: 'Write a haiku',
      }),
    messages: Messages.optional().meta({
      description:
        'The conversation so far, ending with a user message or with the answers to all tool calls. Append `assistantMessage` of a completed job and your answers for the next turn',
    }),
    tools: Tools.optional().meta({
      description: 'Tools that the model may call. A call ends the job; you run the tool',
    }),
    model: plainText(200).meta({ description: 'Model identifier', example: 'sim-fast' }),
    maxTokens: z
      .number()
      .int()
      .min(1)
      .max(MAX_TOKENS_LIMIT)
      .meta({
        description: `Maximum output tokens. ${MAX_TOKENS_LIMIT} leaves the length to the provider if the limit of the model is not known and no budget applies`,
        example: 1000,
      }),
    timeoutMs: z.number().int().min(1000).max(3_600_000).default(DEFAULT_TIMEOUT_MS).meta({
      description:
        'Job timeout in milliseconds. A model works on a job for at most 600000 ms of it',
    }),
    runId: RunId.optional().meta({ description: 'Groups jobs into one run' }),
    feature: plainText(200).optional().meta({ description: 'Name of the run' }),
    streamName: plainText(200).optional().meta({ description: 'Display name of the stream' }),
    waveNumber: z.number().int().min(1).max(100_000).optional(),
    provider: ProviderOverride,
    temperature: z.number().min(0).max(2).optional(),
    reasoning: Reasoning.optional(),
    serviceTier: ServiceTier.optional(),
    structuredPrompt: StructuredPrompt.optional(),
    priority: z.number().int().min(-10).max(10).default(0).meta({
      description:
        'Jobs with a higher priority start before your other pending jobs. Other users are not affected',
    }),
  })
  .check(requirePrompt)
  .superRefine((request, context) => {
    for (const { path, message } of problemsOf(request)) {
      context.addIssue({ code: 'custom', path, message });
    }
  })
  .meta({ id: 'ExecuteRequest' });
export type ExecuteRequest = z.infer<typeof ExecuteRequest>;

export const ExecuteResponse = z.object({ jobId: z.string() }).meta({ id: 'ExecuteResponse' });

/** `length`: no more tokens were allowed, so the answer is not whole. */
export const StopReason = z.enum(['stop', 'length']);
export type StopReason = z.infer<typeof StopReason>;

/** What an open job waits for, and what to tell a person. */
export const JOB_WAITS = {
  rate_limited: 'The provider is rate limiting this job',
  key_paused: 'The provider is rate limiting other jobs of the same key',
  retry: 'A model call failed and will be retried',
  concurrency: "The plan's concurrent jobs are all in use",
} as const;
export type JobWaitReason = keyof typeof JOB_WAITS;

export const JobWaiting = z
  .object({
    reason: z.enum(Object.keys(JOB_WAITS) as [JobWaitReason, ...JobWaitReason[]]).meta({
      description: Object.entries(JOB_WAITS)
        .map(([reason, meaning]) => `\`${reason}\`: ${meaning}.`)
        .join(' '),
    }),
    until: Timestamp.nullable().meta({ description: 'null if unknown' }),
    detail: z.string().nullable().meta({ description: 'Message from the provider' }),
  })
  .meta({ id: 'JobWaiting' });
export type JobWaiting = z.infer<typeof JobWaiting>;

export const JobKind = z.enum(['job', 'call']).meta({
  description: '`call` if a client called the model itself, through the model endpoint',
});
export type JobKind = z.infer<typeof JobKind>;

export const JobApiKey = z
  .object({
    id: z.string(),
    name: z.string().nullable().meta({ description: 'null if the key is gone' }),
  })
  .nullable()
  .meta({ description: 'The API key that was used; null if none was' });

const fullView = {
  jobId: z.string(),
  kind: JobKind,
  streamId: z.string(),
  runId: z.string().nullable().meta({ description: 'null for a call that belongs to no run' }),
  model: z.string(),
  provider: z.string(),
  simulated: z.boolean(),
  reasoning: Reasoning.nullable().meta({ description: 'As requested; null if not set' }),
  serviceTier: ServiceTier.nullable().meta({ description: 'As requested; null if not set' }),
  usedServiceTier: ServiceTier.nullable().meta({
    description:
      'The tier whose price the answer has; null without an answer, or if no tier was requested',
  }),
  apiKey: JobApiKey,
  attempt: z.number().int(),
  queuedAt: Timestamp,
  startedAt: Timestamp.nullable(),
  endedAt: Timestamp.nullable(),
  costUsd: z
    .number()
    .nullable()
    .meta({ description: 'Cost of all attempts; null if no price is known' }),
  savedUsd: z.number().nullable().meta({ description: 'Amount saved by prompt caching' }),
  unpricedCalls: z
    .number()
    .int()
    .meta({ description: 'Model calls without a known price; omitted if there are none' }),
  usageEstimated: z.boolean().meta({
    description:
      'True if some token counts are estimates, because a call was interrupted or its worker was lost',
  }),
  cachedInputTokens: z.number().int(),
  reasoningTokens: z.number().int().meta({
    description: 'Output tokens used for thinking, where the provider reports them',
  }),
  stopReason: StopReason.nullable().meta({
    description:
      'Why the model stopped: `stop` if it finished, `length` if it reached `maxTokens` or a limit of the model. null if the job is not completed',
  }),
  errorCode: z
    .string()
    .nullable()
    .meta({ description: 'Why the job failed; see docs/errors.md for the codes' }),
};
/** Of jobs that were submitted with messages or tools. */
const turnFields = {
  toolCalls: z.array(ToolCall).optional().meta({
    description:
      'Calls that the model asks for, in its order. Only for jobs with `messages` or `tools`; an answer that was cut off has its whole calls only',
  }),
  assistantMessage: AssistantMessage.optional().meta({
    description: 'The answer, to append to `messages` for the next turn',
  }),
};
export const JobFullFields = z.object(fullView).partial();

const openFields = {
  ...JobFullFields.shape,
  waiting: JobWaiting.optional().meta({ description: 'Present while the job waits' }),
};

export const Job = z
  .discriminatedUnion('status', [
    z.object({ status: z.literal('pending'), ...openFields }).meta({ id: 'PendingJob' }),
    z.object({ status: z.literal('running'), ...openFields }).meta({ id: 'RunningJob' }),
    z
      .object({
        status: z.literal('completed'),
        output: z.string().meta({ description: 'Raw model response text' }),
        artifact: Artifact.optional(),
        tokensUsed: TokensUsed,
        ...JobFullFields.shape,
        ...turnFields,
      })
      .meta({ id: 'CompletedJob' }),
    z
      .object({
        status: z.literal('failed'),
        error: z.string(),
        tokensUsed: TokensUsed.meta({ description: 'Sum of all attempts' }),
        ...JobFullFields.shape,
        partialOutput: z.string().nullable().optional().meta({
          description: 'Text received before the job failed, up to 1 MiB; null if there is none',
        }),
      })
      .meta({ id: 'FailedJob' }),
  ])
  .meta({
    id: 'Job',
    description: 'Fields after `tokensUsed` are returned with `view=full` only.',
  });

/** The longest that a look at a job may wait for its end. */
export const MAX_WAIT_SECONDS = 60;

export const JobQuery = z.object({
  view: z.enum(['full']).optional().meta({ description: '`full` returns all fields' }),
  wait: z.coerce
    .number()
    .min(0)
    .max(MAX_WAIT_SECONDS)
    .optional()
    .meta({ description: 'Seconds to wait for the job to end before responding' }),
});

export const CancelResponse = z.object({ cancelled: z.boolean() }).meta({ id: 'CancelResponse' });
