// The entry `millrace/client`: for Node and browsers, without dependencies.
export { CloudExecutor, EXECUTOR_DEFAULTS } from './executor.ts';
export type {
  ExecutionRequest,
  ExecutionResult,
  ExecutorConfig,
  StructuredPrompt,
} from './executor.ts';
export { MillraceClient } from './api.ts';
export type { ClientOptions, HistoryFilter, Job, JobEvent, NewJob } from './api.ts';
export { MillraceConnectionError, MillraceError } from './errors.ts';
export type { World } from './world.ts';
export { WebhookVerificationError, verifyWebhook } from './webhook.ts';
export type { WebhookToVerify } from './webhook.ts';
