// What a manifest is once it has been read: defaults filled in, nothing missing.
import type { Reasoning, ServiceTier } from '../contract/fields.ts';

export const STREAM_STATUSES = [
  'pending',
  'in_progress',
  'complete',
  'failed',
  'skipped',
  'blocked',
] as const;
export type StreamStatus = (typeof STREAM_STATUSES)[number];

export const CONTEXT_DEPTHS = ['minimal', 'moderate', 'comprehensive'] as const;
export type ContextDepth = (typeof CONTEXT_DEPTHS)[number];

export const REASONING_EFFORTS = ['low', 'medium', 'high'] as const satisfies readonly Reasoning[];

export const SERVICE_TIERS = ['flex', 'standard'] as const satisfies readonly ServiceTier[];

export const DEFAULT_STREAM_TIMEOUT_MS = 600_000;
/** For one attempt of an agent, which reads, edits and runs commands meanwhile. */
export const DEFAULT_AGENT_TIMEOUT_MS = 3_600_000;
export const DEFAULT_MAX_TURNS = 40;
/** One model answer with follow-ups; every other name is an agent's. */
export const ANSWER = 'answer';

/** The agent that is built in. */
export const LOOP = 'loop';

/** How long an attempt may take where the stream does not say. */
export const usualTimeoutMs = (agent: string = ANSWER): number =>
  agent === ANSWER ? DEFAULT_STREAM_TIMEOUT_MS : DEFAULT_AGENT_TIMEOUT_MS;

/** More entries in `reads` than this make a time-out likely. */
export const MANY_READS = 4;

/** What every stream may say about the model that does it; it wins over the manifest's own. */
export interface ModelChoice {
  model?: string;
  /** A ladder instead of one model; never both. */
  models?: string[];
  maxTokens?: number;
  /** Of the project, what the model may be shown. */
  contextTokens?: number;
  reasoning?: Reasoning;
  serviceTier?: ServiceTier;
}

/** Who works on a stream, and within which limits; what a stream says wins over the manifest's own. */
export interface AgentChoice {
  agent?: string;
  /** The most model calls of an attempt. */
  maxTurns?: number;
  /** What the agent may reach besides nothing: the model endpoint, or that and these hosts. */
  network?: 'models' | 'none' | string[];
}

export interface StreamCost {
  /** In dollars, all attempts together. */
  maxCostUsd?: number;
}

/** What a person approves before it is done; a question of an agent waits for its answer. */
export const GATES = ['plan', 'changes', 'push', 'question'] as const;
export const STREAM_GATES = ['changes', 'question'] as const;
export interface Gates {
  approve?: (typeof GATES)[number][];
}

/** How the commands of a manifest are run. */
export interface CommandPlace {
  /** In the sandbox. A person's own settings can ask for it as well; nothing takes it back. */
  sandboxCommands?: boolean;
  /** What they may reach from there; nothing where it is left out. */
  commandNetwork?: 'none' | string[];
}

export interface WorkflowCommand {
  command: string;
  critical: boolean;
}

/** A stream of notation A. */
export interface WorkflowStream extends ModelChoice, AgentChoice, StreamCost, Gates {
  id: string;
  description: string;
  plan: string;
  files: string[];
  depth: ContextDepth;
  commands: WorkflowCommand[];
  maxSteps?: number;
  timeoutMs: number;
  requireTests: boolean;
  /** From the runs of the project: in this notation the file itself has no state. */
  state?: StreamState;
}

/** How far a stream is. */
export interface StreamState {
  status: StreamStatus;
  error?: string;
  attempts: number;
  appliedAt?: string;
  /** The stream whose failure made it skipped; without it, a person skipped it. */
  skippedBy?: string;
}

export interface WorkflowManifest extends ModelChoice, AgentChoice, CommandPlace, Gates {
  notation: 'A';
  name: string;
  version: string;
  description: string;
  streams: Map<string, WorkflowStream>;
}

/** A stream of notation B. */
export interface FeatureStream extends ModelChoice, AgentChoice, StreamCost, StreamState, Gates {
  id: string;
  name: string;
  deps: string[];
  owns: string[];
  reads: string[];
  plan?: string;
  setup: string[];
  verify: string[];
  /** May be skipped when a stream it waits for failed. */
  optional: boolean;
  depth: ContextDepth;
  timeoutMs: number;
  parentStreamId?: string;
}

export interface FeatureManifest extends ModelChoice, AgentChoice, CommandPlace, Gates {
  notation: 'B';
  feature: string;
  created?: string;
  status?: string;
  streams: Map<string, FeatureStream>;
}

export type Manifest = WorkflowManifest | FeatureManifest;

export const NOT_STARTED: Readonly<StreamState> = { status: 'pending', attempts: 0 };

/** How far a stream is, whichever notation it is in. */
export function stateOf(stream: FeatureStream | WorkflowStream): Readonly<StreamState> {
  return 'status' in stream ? stream : (stream.state ?? NOT_STARTED);
}

/** The stream of the same manifest that this one fixes. */
export function fixTargetOf(
  manifest: Manifest,
  stream: FeatureStream | WorkflowStream,
): string | undefined {
  const parent = 'parentStreamId' in stream ? stream.parentStreamId : undefined;
  return parent !== undefined && manifest.streams.has(parent) ? parent : undefined;
}

/** The name of a manifest, whichever notation it is in. */
export function manifestName(manifest: Manifest): string {
  return manifest.notation === 'A' ? manifest.name : manifest.feature;
}
