// Which tables are in a backup. Others may share the schema with ours, so ours are named; a test compares
// the names with what the migrations make.

/** In the order in which they are restored: what others refer to comes first. */
export const BACKED_UP_TABLES = [
  'users',
  'teams',
  'team_members',
  'api_keys',
  'sessions',
  'account_links',
  'device_codes',
  'oidc_identities',
  'provider_keys',
  'team_provider_keys',
  'subscriptions',
  'stripe_events',
  'audit_events',
  'idempotency_keys',
  'nodes',
  'runs',
  'run_streams',
  'run_reports',
  'run_events',
  'run_changes',
  'run_shares',
  'run_caps',
  'stream_tokens',
  'stored_answers',
  'jobs',
  // Partition by partition: each is a table of its own in the file.
  'archived_jobs',
  'discarded_texts',
  'streamed_text',
  'job_waits',
  'executions',
  'execution_steps',
  'execution_events',
  'team_queue',
  'queue_clock',
  'usage_ledger',
  'usage_months',
  'usage_days',
  'usage_call_days',
  'usage_rollup',
  'recorded_usage',
  'budget_events',
  'projects',
  'runners',
  'runner_projects',
  'run_requests',
  'run_request_answers',
  'approvals',
  'approval_mails',
  'reviews',
  'review_files',
  'review_drafts',
  'webhooks',
  'webhook_old_secrets',
  'webhook_events',
  'webhook_deliveries',
  'webhook_attempts',
] as const;

/** What they hold is about the last seconds only. */
export const LEFT_OUT_TABLES = ['rate_limits', 'signals'] as const;

/** Written by the migrations themselves. */
export const MIGRATIONS_TABLE = 'millrace_migrations';
