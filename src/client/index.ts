// The entry `millrace/client`: for Node and browsers, without dependencies.
export { CloudExecutor, EXECUTOR_DEFAULTS } from './executor.ts';
export type {
  ExecutionRequest,
  ExecutionResult,
  ExecutorConfig,
  StructuredPrompt,
} from './executor.ts';
export { MillraceClient } from './api.ts';
export type { Me } from '../contract/auth-api.ts';
export type { ApiKeysApi, NewApiKey } from './api-keys.ts';
export type { ApiKey, CreatedApiKey, RotatedApiKey } from '../contract/api-keys-api.ts';
export type { NewRunRequest, RunRequestFilter, RunRequestsApi, RunnersApi } from './runners.ts';
export type { ApprovalFilter, ApprovalsApi, NewApproval } from './approvals.ts';
export type { Approval, ApprovalPage, ListedApproval } from '../contract/approval-api.ts';
export type { ReviewsApi } from './reviews.ts';
export type {
  ChangeReviewDraftRequest,
  Review,
  ReviewComment,
  ReviewDraft,
  ReviewFile,
  ReviewFileSummary,
  ReviewFiles,
  ReviewHunk,
  ReviewOutcome,
  ReviewSubmission,
} from '../contract/review-api.ts';
export type { AuditApi, AuditFilter } from './audit.ts';
export type { AuditEvent, AuditPage } from '../contract/audit-api.ts';
export type { SchedulesApi } from './schedules.ts';
export type {
  NewSchedule,
  Schedule,
  ScheduleChange,
  ScheduleFiring,
} from '../contract/schedule-api.ts';
export type { TriggersApi } from './triggers.ts';
export type {
  CreatedTrigger,
  HookAnswer,
  NewTrigger,
  Trigger,
  TriggerChange,
  TriggerDelivery,
} from '../contract/trigger-api.ts';
export type { TeamsApi } from './teams.ts';
export type { AddedMember, Member, Team, TeamSettings } from '../contract/teams-api.ts';
export type { BillingApi } from './billing.ts';
export type { ChangeSubscriptionRequest, Subscription } from '../contract/billing-api.ts';
export type { CallOptions, ClientOptions } from './calls.ts';
export type { OnWait } from './transport.ts';
export type {
  HistoryFilter,
  Job,
  JobDetails,
  JobEvent,
  JobFilter,
  NewJob,
  NewTurn,
} from './jobs-types.ts';
export type { JobPage, ListedJob } from '../contract/job-list-api.ts';
export type {
  AssistantMessage,
  Message,
  ToolCall,
  ToolSpec,
} from '../contract/conversation-api.ts';
export type { ExecutionsApi } from './executions.ts';
export type {
  CancelledExecution,
  Execution,
  ExecutionEvent,
  ExecutionPage,
  ExecutionStatus,
  ExecutionStep,
  ListedExecution,
  NewExecution,
  StartedExecution,
} from './executions-types.ts';
export type { UsageApi } from './usage.ts';
export type { CurrentUsage, UsageHistory } from '../contract/usage-api.ts';
export type { WebhooksApi } from './webhooks.ts';
export type {
  ApprovalEvent,
  BudgetEvent,
  NewWebhook,
  Webhook,
  WebhookDelivery,
  WebhookEvent,
  WebhookFormat,
} from './webhooks-types.ts';
export { MillraceConnectionError, MillraceError } from './errors.ts';
export type { World } from './world.ts';
export { WebhookVerificationError, verifyWebhook } from './webhook.ts';
export type { WebhookToVerify } from './webhook.ts';
