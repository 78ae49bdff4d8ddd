// Shapes of the executions API as a client sees them.
import type { Artifact } from '../contract/artifact.ts';

export interface NewExecution {
  task: string;
  context?: { files?: string[]; contents?: Record<string, string>; environment?: string };
  options?: {
    dryRun?: boolean;
    maxSteps?: number;
    /** Milliseconds. */
    timeout?: number;
    budgetUsd?: number;
    webhookUrl?: string;
  };
  model?: string;
  provider?: string;
}

export type ExecutionStatus = 'running' | 'completed' | 'failed' | 'cancelled';

export interface StartedExecution {
  id: string;
  status: ExecutionStatus;
  createdAt: string;
  statusUrl: string;
}

export interface ExecutionStep {
  index: number;
  streamId: string;
  name: string;
  wave: number;
  status: string;
  durationMs: number | null;
  tokensUsed: number;
}

export interface ExecutionPlan {
  streams: unknown[];
  waves: string[][];
  estimatedTokens: number;
  estimatedCostUsd: number | null;
}

export interface Execution {
  id: string;
  status: ExecutionStatus;
  progress: { current: number; total: number };
  result: {
    success: boolean;
    artifacts: Artifact[];
    summary: string;
    plan?: ExecutionPlan;
    error?: { code: string; message: string };
  } | null;
  metrics: { duration: number; tokensUsed: number; costUsd?: number | null };
  steps: ExecutionStep[];
  currentStep: number | null;
}

export interface ListedExecution extends Pick<Execution, 'id' | 'status' | 'progress' | 'metrics'> {
  task: string;
  createdAt: string;
  completedAt: string | null;
  statusUrl: string;
}

export interface ExecutionPage {
  items: ListedExecution[];
  nextCursor: string | null;
  hasMore: boolean;
  limit: number;
}

export interface CancelledExecution {
  id: string;
  cancelled: boolean;
  status: ExecutionStatus;
  finalState: {
    progress: Execution['progress'];
    currentStep: number | null;
    tokensUsed: number;
    filesChanged: string[];
  };
}

/** Types that a client does not know are to be left out. */
export interface ExecutionEvent {
  type: string;
  data: Record<string, unknown>;
}
