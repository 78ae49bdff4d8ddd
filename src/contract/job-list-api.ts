// Bodies of GET /api/v1/jobs and GET /api/v1/job/:id/request.
import { z } from 'zod';
import { Message, ToolSpec } from './conversation-api.ts';
import {
  JOB_ID_PATTERN,
  Reasoning,
  ServiceTier,
  RunId,
  Timestamp,
  TokensUsed,
  UnpricedCalls,
} from './fields.ts';
import { pageLimit, plainText } from './fields.ts';
import { JobApiKey, JobKind, JobWaiting, StructuredPrompt } from './job-api.ts';

export const JobStatus = z
  .enum(['pending', 'running', 'completed', 'failed'])
  .meta({ id: 'JobStatus' });

export const JobListQuery = z.object({
  limit: pageLimit('Jobs', 50),
  before: z
    .string()
    .regex(JOB_ID_PATTERN, 'must be the nextCursor of a previous page')
    .optional()
    .meta({ description: '`nextCursor` of the previous page' }),
  status: JobStatus.optional().meta({ description: 'Only jobs with this status' }),
  kind: JobKind.optional().meta({
    description: 'Only jobs that were submitted (`job`), or calls of the model endpoint (`call`)',
  }),
  model: plainText(200).optional().meta({ description: 'Only jobs of this model' }),
  runId: RunId.optional().meta({ description: 'Only jobs of this run' }),
  since: Timestamp.optional().meta({ description: 'Only jobs submitted at this time or later' }),
  id: z
    .string()
    .regex(/^job_[0-9a-z]{0,26}$/, 'must be a job id or the start of one, such as job_01jcq8')
    .optional()
    .meta({ description: 'Only jobs whose id starts with this' }),
});
export type JobListQuery = z.infer<typeof JobListQuery>;

export const ListedJob = z
  .object({
    jobId: z.string(),
    status: JobStatus,
    streamId: z.string(),
    kind: JobKind,
    runId: z.string().nullable().meta({ description: 'null for a call that belongs to no run' }),
    executionId: z.string().nullable().meta({ description: 'null if it belongs to no execution' }),
    model: z.string(),
    provider: z.string(),
    simulated: z.boolean(),
    serviceTier: ServiceTier.nullable().meta({ description: 'As requested; null if not set' }),
    usedServiceTier: ServiceTier.nullable().meta({
      description:
        'The tier whose price the answer has; null without an answer or a requested tier',
    }),
    apiKey: JobApiKey,
    attempt: z.number().int(),
    queuedAt: Timestamp,
    startedAt: Timestamp.nullable(),
    endedAt: Timestamp.nullable(),
    tokensUsed: TokensUsed,
    costUsd: z.number().nullable().meta({ description: 'null if no price is known' }),
    unpricedCalls: UnpricedCalls,
    error: z.string().nullable(),
    errorCode: z.string().nullable(),
    waiting: JobWaiting.optional().meta({ description: 'Present while the job waits' }),
  })
  .meta({ id: 'ListedJob' });
export type ListedJob = z.infer<typeof ListedJob>;

export const JobPage = z
  .object({
    items: z.array(ListedJob),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean().meta({
      description: 'With filters, a page may have fewer items than `limit` and still have more',
    }),
    limit: z.number().int(),
  })
  .meta({ id: 'JobPage' });
export type JobPage = z.infer<typeof JobPage>;

export const JobRequest = z
  .object({
    jobId: z.string(),
    streamId: z.string(),
    streamName: z.string().nullable(),
    prompt: z.string(),
    structuredPrompt: StructuredPrompt.pick({
      systemContent: true,
      projectContext: true,
      streamContext: true,
      taskContent: true,
    })
      .nullable()
      .meta({ description: 'The parts of the prompt; null if it was sent as one text' }),
    messages: z.array(Message).optional().meta({
      description: 'Present if the job was submitted with `messages` or `tools`',
    }),
    tools: z.array(ToolSpec).optional(),
    model: z.string(),
    maxTokens: z.number().int(),
    temperature: z.number().nullable(),
    reasoning: Reasoning.nullable(),
    serviceTier: ServiceTier.nullable(),
    timeoutMs: z.number().int(),
    priority: z.number().int(),
  })
  .meta({ id: 'JobRequest' });
export type JobRequest = z.infer<typeof JobRequest>;
