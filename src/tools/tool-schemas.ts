// What goes into the tools and what comes out. Hosts show models the structured output alone, so all
// that a model needs is in it; texts of files never are. Every field of the input is described; of the
// output those whose name and shape do not say it all. Inputs ignore what they do not know: some hosts
// add arguments of their own to every call.
import { z } from 'zod';

const MAX_TASK = 20_000;
export const MAX_FILES = 200;

const executionId = z
  .string()
  .min(1)
  .max(100)
  .describe('Id of the execution, or "latest" for the newest one of this session');

export const ExecuteInput = z.object({
  task: z.string().trim().min(1).max(MAX_TASK).describe('What to do, in plain words'),
  files: z
    .array(z.string().min(1).max(1024).describe('Path, folder or glob in the workspace'))
    .max(MAX_FILES)
    .default([])
    .describe('Files of the workspace to send with the task'),
  dryRun: z.boolean().default(false).describe('Only make the plan; change nothing'),
  maxSteps: z.number().int().min(1).max(100).default(10).describe('Most steps the plan may have'),
});
export type ExecuteInput = z.infer<typeof ExecuteInput>;

export const StatusInput = z.object({
  executionId,
  poll: z.number().int().min(1).max(1_000_000).default(1).describe('As next names it'),
});
export type StatusInput = z.infer<typeof StatusInput>;
export const CancelInput = z.object({ executionId });

const Progress = z
  .strictObject({
    completed: z.number().int().describe('Completed steps'),
    total: z.number().int().describe('All steps; 0 until the plan is ready'),
    text: z.string(),
  })
  .describe('Completed and total steps');

const StepShape = z.strictObject({
  index: z.number().int(),
  name: z.string(),
  status: z.enum(['planned', 'pending', 'running', 'completed', 'failed', 'skipped', 'cancelled']),
  durationMs: z.number().int().optional().describe('Once it has ended'),
  summary: z.string().optional().describe('What the step changed'),
});

const OmittedSteps = z.number().int().optional().describe('Steps not listed here');

const OperationShape = z.strictObject({
  type: z.enum(['create', 'edit', 'delete']),
  path: z.string(),
  bytes: z.number().int().optional().describe('Of the new text, where all of it is given'),
  additions: z.number().int(),
  deletions: z.number().int().optional().describe('Where they are known'),
});

const ArtifactShape = z.strictObject({
  streamId: z.string().describe('Step that made the changes'),
  status: z
    .enum(['complete', 'partial', 'failed'])
    .describe('Whether the step did all of its work'),
  operations: z.array(OperationShape),
});

const SentFile = z.strictObject({
  path: z.string(),
  bytes: z.number().int(),
  included: z.enum(['full', 'omitted']).describe('Whether the file is sent'),
  why: z.string().optional().describe('Why it is not sent'),
});

const PlanShape = z
  .strictObject({
    totals: z
      .strictObject({
        tokens: z.number().int(),
        costUsd: z.number().nullable().describe('null if the price is unknown'),
      })
      .describe('Estimate'),
    warnings: z.array(z.string()),
    waves: z.array(z.array(z.string())).describe('Ids of steps; those of one wave run in parallel'),
    steps: z
      .array(
        z.strictObject({
          index: z.number().int(),
          id: z.string(),
          name: z.string(),
          description: z.string().describe('Instructions of the step'),
          owns: z.array(z.string()).describe('Files it may change'),
          reads: z.array(z.string()).describe('Files it reads'),
          dependsOn: z.array(z.string()).describe('Ids of the steps it waits for'),
        }),
      )
      .describe('Steps of the plan'),
    omittedSteps: OmittedSteps,
    manifest: z.string().optional().describe('Text for millrace.yaml'),
    manifestAt: z.string().optional(),
    context: z.strictObject({ files: z.array(SentFile).describe('Files sent and left out') }),
  })
  .describe('Plan of a dry run');

const ResultShape = z.strictObject({
  success: z.boolean().describe('Whether all steps completed'),
  applied: z
    .enum(['none', 'all', 'conflict'])
    .describe('Whether they are written into the workspace'),
  applyCommand: z.string().optional().describe('For the user: writes them'),
  conflicts: z
    .array(
      z.strictObject({
        code: z.string(),
        message: z.string(),
      }),
    )
    .optional()
    .describe('Why the changes could not be written'),
  summary: z.string(),
  artifacts: z.array(ArtifactShape).describe('Changes of each step, in the order to apply them'),
  texts: z.string().optional().describe('Resource: text of artifact n, from 0'),
  omittedOperations: z.number().int().optional().describe('Changes not listed here'),
  plan: PlanShape.optional(),
  simulated: z.literal(true).optional().describe('A simulated model made it'),
});

const Metrics = z
  .strictObject({
    duration: z.number().int().describe('Duration in milliseconds'),
    tokensUsed: z.number().int().describe('Tokens of all model calls'),
    costUsd: z.number().optional().describe('Cost in US dollars, where the price is known'),
  })
  .describe('Time and usage');

const Failure = z
  .strictObject({
    code: z.string(),
    message: z.string(),
    retryable: z.boolean().describe('Whether the same call may succeed later'),
  })
  .describe('Why the execution failed');

const Status = z.enum(['success', 'failed', 'cancelled', 'running']);

/** What a reader must not miss, in front of all the rest. */
const HEAD = {
  message: z.string().describe('What came of it, and whether files are written'),
  status: Status.describe('"running" means: still under way, call millrace_status'),
  executionId: z.string().describe('For millrace_status and millrace_cancel'),
  error: Failure.optional(),
  next: z.string().optional().describe('What to do next'),
  task: z.string().describe('Beginning of the task'),
};

const BODY = {
  result: ResultShape.nullable().describe('null while it is running'),
  steps: z.array(StepShape).describe('Steps of the plan'),
  omittedSteps: OmittedSteps,
  metrics: Metrics,
};

export const ExecuteOutput = z.strictObject({
  ...HEAD,
  joined: z.literal(true).optional().describe('Present if an earlier call has started it'),
  leftOut: z
    .array(
      z.strictObject({
        path: z.string(),
        why: z.string(),
      }),
    )
    .optional()
    .describe('Files that were not sent'),
  ...BODY,
});
export type ExecuteOutput = z.infer<typeof ExecuteOutput>;

export const StatusOutput = z.strictObject({
  ...HEAD,
  progress: Progress,
  currentStep: z.string().nullable().describe('What is being done; null once it has ended'),
  elapsed: z.number().int().describe('Milliseconds since the start'),
  ...BODY,
});
export type StatusOutput = z.infer<typeof StatusOutput>;

export const CancelOutput = z.strictObject({
  cancelled: z.boolean().describe('false if the execution had already ended'),
  finalState: z
    .strictObject({
      ...HEAD,
      progress: Progress,
      currentStep: z.string().nullable().describe('What was being done'),
      filesChanged: z.array(z.string()).describe('Files that completed steps changed'),
      appliedFiles: z.array(z.string()).describe('Those that are written into the workspace'),
      omittedFiles: z.number().int().optional().describe('Files not listed here'),
      steps: BODY.steps,
      omittedSteps: OmittedSteps,
      metrics: Metrics,
    })
    .describe('The execution after the call'),
});
export type CancelOutput = z.infer<typeof CancelOutput>;
