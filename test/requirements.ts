// Every rule of the interface, once. A test cites the rules it proves with `verifies(...)`, and
// test/pins/requirements.test.ts fails while a rule of a built feature is proved by no test.
import {
  ACCOUNT_RULES,
  AUTH_RULES,
  LIMIT_RULES,
  PROVIDER_KEY_RULES,
  SIMULATOR_RULES,
} from './requirements/access.ts';
import { APPROVAL_RULES } from './requirements/approvals.ts';
import { ARTIFACT_RULES } from './requirements/artifacts.ts';
import { EXECUTION_RULES, TEAM_RULES, WEBHOOK_RULES } from './requirements/executions.ts';
import { HISTORY_RULES } from './requirements/history.ts';
import { HTTP_RULES, VERSIONING_RULES } from './requirements/http.ts';
import { JOB_RULES } from './requirements/jobs.ts';
import {
  CLIENT_RULES,
  MANIFEST_RULES,
  ORCHESTRATOR_RULES,
  TOOL_RULES,
} from './requirements/manifests.ts';
import { CLI_RULES, OPERATING_RULES } from './requirements/operating.ts';
import { RUNNER_RULES } from './requirements/runners.ts';
import type { Feature } from './requirements/rules.ts';
import { SCHEDULE_RULES } from './requirements/schedules.ts';
import { SERVER_ADMIN_RULES } from './requirements/server-admin.ts';
import { TRIGGER_RULES } from './requirements/triggers.ts';

export const REQUIREMENTS = [
  ...JOB_RULES,
  ...HISTORY_RULES,
  ...ARTIFACT_RULES,
  ...AUTH_RULES,
  ...LIMIT_RULES,
  ...HTTP_RULES,
  ...VERSIONING_RULES,
  ...SIMULATOR_RULES,
  ...OPERATING_RULES,
  ...PROVIDER_KEY_RULES,
  ...EXECUTION_RULES,
  ...WEBHOOK_RULES,
  ...TEAM_RULES,
  ...ACCOUNT_RULES,
  ...MANIFEST_RULES,
  ...ORCHESTRATOR_RULES,
  ...CLIENT_RULES,
  ...TOOL_RULES,
  ...CLI_RULES,
  ...RUNNER_RULES,
  ...SERVER_ADMIN_RULES,
  ...APPROVAL_RULES,
  ...SCHEDULE_RULES,
  ...TRIGGER_RULES,
] as const;

export type RequirementId = (typeof REQUIREMENTS)[number]['id'];

/** Features whose every rule must be cited by a test. A feature is added here when it is built. */
export const BUILT_FEATURES: ReadonlySet<Feature> = new Set<Feature>([
  'jobs',
  'history',
  'auth',
  'limits',
  'http',
  'artifacts',
  'simulator',
  'operator-cli',
  'versioning',
  'library',
  'provider-keys',
  'providers',
  'client',
  'manifests',
  'orchestrator',
  'cli',
  'executions',
  'webhooks',
  'teams',
  'accounts',
  'usage',
  'billing',
  'approvals',
]);
