// Bodies of /v1/executions.
import { z } from 'zod';
import { Artifact } from './artifact.ts';
import {
  KnownCost,
  UnpricedCalls,
  EXECUTION_ID_PATTERN,
  MAX_TOKENS_LIMIT,
  Timestamp,
  plainText,
  pageLimit,
} from './fields.ts';
import { StreamStatus } from './history-api.ts';

const MAX_FILES = 200;
const MAX_TASK = 100_000;
const filePath = z.string().min(1).max(1024);

const ContextInput = z
  .object({
    files: z
      .array(filePath)
      .max(MAX_FILES)
      .default([])
      .meta({ description: 'Names of files of your project that matter for the task' }),
    contents: z
      .record(filePath, z.string())
      .default({})
      .refine((contents) => Object.keys(contents).length <= MAX_FILES, {
        message: `must have at most ${MAX_FILES} files`,
      })
      .meta({ description: 'The texts of files, by path' }),
    environment: plainText(200)
      .default('default')
      .meta({ description: 'What the model is told of where the project runs' }),
  })
  .prefault({});

const OptionsInput = z
  .object({
    dryRun: z.boolean().default(false).meta({ description: 'Plan only: nothing is run' }),
    maxSteps: z.number().int().min(1).max(200).default(10),
    timeout: z
      .number()
      .int()
      .min(1000)
      .max(3_600_000)
      .default(600_000)
      .meta({ description: 'Milliseconds for the whole execution' }),
    budgetUsd: z
      .number()
      .positive()
      .max(1_000_000)
      .optional()
      .meta({ description: 'No call is made that could cost more than what is left of it' }),
    maxTokens: z.number().int().min(1).max(MAX_TOKENS_LIMIT).optional().meta({
      description:
        'Output tokens that each call may have; by default what the model can give, as far as it is known',
    }),
    webhookUrl: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(2048)
      .optional()
      .meta({ description: 'Hears of the events of this execution alone' }),
  })
  .prefault({});

export const CreateExecutionRequest = z
  .object({
    task: z
      .string()
      .min(1)
      .max(MAX_TASK)
      .meta({ description: 'What to do, in your words', example: 'Add a dark mode' }),
    context: ContextInput,
    options: OptionsInput,
    model: plainText(200).optional().meta({ description: 'Model identifier', example: 'sim-fast' }),
    provider: z.string().min(1).max(50).optional().meta({ description: 'Wins over the model id' }),
  })
  .meta({ id: 'CreateExecutionRequest' });
export type CreateExecutionRequest = z.infer<typeof CreateExecutionRequest>;
/** Before defaults are filled in: what a client sends. */
export type NewExecution = z.input<typeof CreateExecutionRequest>;

export const ExecutionStatus = z
  .enum(['running', 'completed', 'failed', 'cancelled'])
  .meta({ id: 'ExecutionStatus' });
export type ExecutionStatus = z.infer<typeof ExecutionStatus>;

export const CreatedExecution = z
  .object({
    id: z.string(),
    status: z.literal('running'),
    createdAt: Timestamp,
    statusUrl: z.string().meta({ description: 'Relative path of the execution' }),
    webhookSecret: z
      .string()
      .optional()
      .meta({ description: 'Signs what is sent to `webhookUrl`; present when there is one' }),
  })
  .meta({ id: 'CreatedExecution' });
export type CreatedExecution = z.infer<typeof CreatedExecution>;

const Progress = z
  .object({ current: z.number().int(), total: z.number().int() })
  .meta({ id: 'ExecutionProgress', description: 'Completed steps; 0 of 0 until there is a plan' });

const Metrics = z
  .object({
    duration: z.number().int().meta({ description: 'Milliseconds' }),
    tokensUsed: z.number().int(),
    costUsd: KnownCost,
    unpricedCalls: UnpricedCalls,
  })
  .meta({ id: 'ExecutionMetrics' });

const Step = z
  .object({
    index: z.number().int(),
    streamId: z.string(),
    name: z.string(),
    wave: z.number().int(),
    status: StreamStatus,
    durationMs: z.number().int().nullable(),
    tokensUsed: z.number().int(),
  })
  .meta({ id: 'ExecutionStep' });

const Plan = z
  .object({
    streams: z.array(
      z.object({
        streamId: z.string(),
        name: z.string(),
        wave: z.number().int(),
        deps: z.array(z.string()),
        owns: z.array(z.string()),
        reads: z.array(z.string()),
        plan: z.string(),
      }),
    ),
    waves: z.array(z.array(z.string())),
    estimatedTokens: z.number().int(),
    estimatedCostUsd: z.number().nullable(),
  })
  .meta({ id: 'ExecutionPlan', description: 'Of a dry run' });

const Result = z
  .object({
    success: z.boolean(),
    artifacts: z.array(Artifact).meta({ description: 'In an order in which they can be applied' }),
    summary: z.string(),
    plan: Plan.optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
    simulated: z.literal(true).optional(),
  })
  .meta({ id: 'ExecutionResult' });

export const Execution = z
  .object({
    id: z.string(),
    status: ExecutionStatus,
    progress: Progress,
    result: Result.nullable().meta({ description: 'null while it runs' }),
    metrics: Metrics,
    steps: z.array(Step),
    currentStep: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Index of the first step that is under way' }),
    task: z.string(),
    createdAt: Timestamp,
    completedAt: Timestamp.nullable(),
    statusUrl: z.string(),
    runId: z.string().meta({ description: 'The run in the history' }),
    model: z.string(),
    provider: z.string(),
    simulated: z.boolean(),
    dryRun: z.boolean(),
  })
  .meta({ id: 'Execution' });
export type Execution = z.infer<typeof Execution>;

export const ExecutionQuery = z.object({
  limit: pageLimit('Executions', 50),
  status: ExecutionStatus.optional().meta({ description: 'Only executions in this state' }),
  before: z
    .string()
    .regex(EXECUTION_ID_PATTERN, 'must be the nextCursor of a page')
    .optional()
    .meta({ description: '`nextCursor` of the page before' }),
});
export type ExecutionQuery = z.infer<typeof ExecutionQuery>;

const ListedExecution = z
  .object({
    id: z.string(),
    status: ExecutionStatus,
    task: z.string(),
    createdAt: Timestamp,
    completedAt: Timestamp.nullable(),
    statusUrl: z.string(),
    progress: Progress,
    metrics: Metrics,
  })
  .meta({ id: 'ListedExecution' });
export type ListedExecution = z.infer<typeof ListedExecution>;

export const ExecutionPage = z
  .object({
    items: z.array(ListedExecution),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean(),
    limit: z.number().int(),
  })
  .meta({ id: 'ExecutionPage' });
export type ExecutionPage = z.infer<typeof ExecutionPage>;

export const CancelledExecution = z
  .object({
    id: z.string(),
    cancelled: z.boolean(),
    status: ExecutionStatus,
    finalState: z.object({
      progress: Progress,
      currentStep: z.number().int().nullable(),
      tokensUsed: z.number().int(),
      filesChanged: z.array(z.string()),
    }),
  })
  .meta({ id: 'CancelledExecution' });
export type CancelledExecution = z.infer<typeof CancelledExecution>;
