// Bodies of /v1/executions.
import { z } from 'zod';
import { Artifact } from './artifact.ts';
import {
  KnownCost,
  UnpricedCalls,
  UsageEstimated,
  EXECUTION_ID_PATTERN,
  IdempotencyKey,
  MAX_TOKENS_LIMIT,
  ProviderOverride,
  Reasoning,
  ServiceTier,
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
      .meta({ description: 'Paths of project files that matter for the task' }),
    contents: z
      .record(filePath, z.string())
      .default({})
      .refine((contents) => Object.keys(contents).length <= MAX_FILES, {
        message: `must have at most ${MAX_FILES} files`,
      })
      .meta({ description: 'File contents by path' }),
    environment: plainText(200)
      .default('default')
      .meta({ description: 'Where the project runs; passed to the model' }),
  })
  .prefault({});

const OptionsInput = z
  .object({
    dryRun: z.boolean().default(false).meta({ description: 'Plan only; do not run any step' }),
    maxSteps: z.number().int().min(1).max(200).default(10),
    timeout: z
      .number()
      .int()
      .min(1000)
      .max(3_600_000)
      .default(600_000)
      .meta({ description: 'Time limit for the whole execution, in milliseconds' }),
    budgetUsd: z.number().positive().max(1_000_000).optional().meta({
      description: 'Spending limit. Millrace makes no call that could exceed what is left of it',
    }),
    maxTokens: z.number().int().min(1).max(MAX_TOKENS_LIMIT).optional().meta({
      description:
        'Maximum output tokens per call. Defaults to the limit of the model; if that is not known, to what the provider allows, or to 8192 with a budget',
    }),
    reasoning: Reasoning.optional(),
    serviceTier: ServiceTier.optional(),
    webhookUrl: z
      .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
      .max(2048)
      .optional()
      .meta({ description: 'URL that receives the events of this execution' }),
  })
  .prefault({});

export const CreateExecutionRequest = z
  .object({
    task: z
      .string()
      .min(1)
      .max(MAX_TASK)
      .meta({ description: 'What to do, in your own words', example: 'Add a dark mode' }),
    context: ContextInput,
    options: OptionsInput,
    model: plainText(200).optional().meta({ description: 'Model identifier', example: 'sim-fast' }),
    provider: ProviderOverride,
  })
  .meta({ id: 'CreateExecutionRequest' });
export type CreateExecutionRequest = z.infer<typeof CreateExecutionRequest>;
/** Before defaults are filled in: what a client sends. */
export type NewExecution = z.input<typeof CreateExecutionRequest>;

export const RunPlanRequest = z
  .object({
    options: z
      .object({
        timeout: OptionsInput.unwrap().shape.timeout.unwrap().optional(),
        budgetUsd: OptionsInput.unwrap().shape.budgetUsd,
        webhookUrl: OptionsInput.unwrap().shape.webhookUrl,
      })
      .prefault({})
      .meta({ description: 'Those of the dry run, unless they are given here' }),
  })
  .meta({ id: 'RunPlanRequest' });
export type RunPlanRequest = z.infer<typeof RunPlanRequest>;
/** Before defaults are filled in: what a client sends. */
export type PlanToRun = z.input<typeof RunPlanRequest>;

export const ExecutionStatus = z
  .enum(['running', 'completed', 'failed', 'cancelled'])
  .meta({ id: 'ExecutionStatus' });
export type ExecutionStatus = z.infer<typeof ExecutionStatus>;

export const CreatedExecution = z
  .object({
    id: z.string(),
    status: z.literal('running'),
    createdAt: Timestamp,
    statusUrl: z.string().meta({ description: 'Path of the execution' }),
    webhookSecret: z.string().optional().meta({
      description:
        'Secret to verify the signatures of events sent to `webhookUrl`; shown only once',
    }),
  })
  .meta({ id: 'CreatedExecution' });
export type CreatedExecution = z.infer<typeof CreatedExecution>;

const Progress = z.object({ current: z.number().int(), total: z.number().int() }).meta({
  id: 'ExecutionProgress',
  description: 'Completed and total steps; both 0 until the plan is ready',
});

const Metrics = z
  .object({
    duration: z.number().int().meta({ description: 'Duration in milliseconds' }),
    tokensUsed: z.number().int(),
    costUsd: KnownCost,
    unpricedCalls: UnpricedCalls,
    usageEstimated: UsageEstimated,
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
    usageEstimated: UsageEstimated,
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
    manifest: z.string().optional().meta({
      description:
        'The plan as a manifest (YAML), to be edited and run where the files are; comments say what was repaired in it. Absent for plans of earlier servers',
    }),
  })
  .meta({ id: 'ExecutionPlan', description: 'Plan of a dry run' });

const Result = z
  .object({
    success: z.boolean(),
    artifacts: z
      .array(Artifact)
      .meta({ description: 'File changes of each step, in the order to apply them' }),
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
    result: Result.nullable().meta({ description: 'null while the execution is running' }),
    metrics: Metrics,
    steps: z.array(Step),
    currentStep: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Index of the first step in progress' }),
    task: z.string(),
    createdAt: Timestamp,
    completedAt: Timestamp.nullable(),
    statusUrl: z.string(),
    runId: z.string().meta({ description: 'Run of this execution in the history' }),
    model: z.string(),
    provider: z.string(),
    simulated: z.boolean(),
    dryRun: z.boolean(),
    maxSteps: z.number().int(),
    budgetUsd: z.number().nullable().meta({ description: 'null if it has no limit of its own' }),
  })
  .meta({ id: 'Execution' });
export type Execution = z.infer<typeof Execution>;

export const ExecutionQuery = z.object({
  limit: pageLimit('Executions', 50),
  status: ExecutionStatus.optional().meta({ description: 'Only executions with this status' }),
  before: z
    .string()
    .regex(EXECUTION_ID_PATTERN, 'must be the nextCursor of a previous page')
    .optional()
    .meta({ description: '`nextCursor` of the previous page' }),
  mine: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Only executions that you started yourself' }),
  idempotencyKey: IdempotencyKey.optional().meta({
    description: 'Only the execution that you started with this key in the last 24 hours',
  }),
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
