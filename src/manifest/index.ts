// The entry `millrace/manifest`: read, check, plan, learn and edit manifests, without a server.
export { parseManifest } from './text/parse.ts';
export type { ParseOptions, ParsedManifest } from './text/parse.ts';
export { DEFAULT_MANIFEST_LIMITS } from './text/limits.ts';
export type { ManifestLimits } from './text/limits.ts';
export { checkNewStream, validateManifest } from './validate.ts';
export type { Problem, ValuePath } from './problem.ts';
export { explainStream, planManifest } from './plan-manifest.ts';
export type { Explanation, Reason, SharedEntry } from './plan-manifest.ts';
export { planStreams } from './plan.ts';
export type { Plan, PlannedStream, StreamOrder, WaitsFor } from './plan.ts';
export type { StreamShape } from './stream-graph.ts';
export { learnDeps } from './learn/learn.ts';
export type { DroppedDep, LearnResult, LearnedDep } from './learn/learn.ts';
export { editManifest } from './edit/editor.ts';
export type { ManifestEditor, NewStream } from './edit/editor.ts';
export { EditError } from './edit/edit-error.ts';
export { anyManifestSchema, manifestSchema } from './schema/json-schema.ts';
export {
  CONTEXT_DEPTHS,
  DEFAULT_STREAM_TIMEOUT_MS,
  STREAM_STATUSES,
  manifestName,
} from './model.ts';
export type {
  ContextDepth,
  FeatureManifest,
  FeatureStream,
  Manifest,
  StreamStatus,
  WorkflowCommand,
  WorkflowManifest,
  WorkflowStream,
} from './model.ts';
