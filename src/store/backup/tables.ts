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
  'jobs',
  // Partition by partition: each is a table of its own in the file.
  'ended_jobs',
  'discarded_texts',
  'job_text',
  'job_waits',
  'executions',
  'execution_steps',
  'execution_events',
  // Its name until version 11.
  'user_queue',
  'team_queue',
  'queue_clock',
  'usage_ledger',
  'usage_months',
  'usage_days',
  'usage_rollup',
  'recorded_usage',
  'budget_events',
  'webhooks',
  'webhook_older_secrets',
  'webhook_events',
  'webhook_deliveries',
  'webhook_attempts',
] as const;

/** What they hold is about the last seconds only. */
export const LEFT_OUT_TABLES = ['rate_limits', 'signals'] as const;

/** Written by the migrations themselves. */
export const MIGRATIONS_TABLE = 'millrace_migrations';

/** In backups from before version 60: jobs had their places in the line in a table apart. They get new ones. */
export const FORMER_PLACES = 'queue messages';
