// Runners, and what they are asked to do.
import type { Config } from '../config/config.ts';
import type { Access } from '../services/access.ts';
import { createRunRequests } from '../services/runners/run-requests.ts';
import { createRunnerViews } from '../services/runners/runner-views.ts';
import { createRunners } from '../services/runners/runners.ts';
import type { Db } from '../store/postgres/db.ts';
import type { Signals } from '../store/postgres/signals.ts';
import type { Teardown } from './teardown.ts';
import { VERSION } from './version.ts';

export function runnerServices(
  { runnerLeaseSeconds: leaseSeconds }: Config,
  deps: { db: Db; signals: Signals; access: Access },
  teardown: Teardown,
) {
  const facts = { leaseSeconds, serverVersion: VERSION };
  const views = createRunnerViews({ ...deps, ...facts });
  const runners = createRunners({ ...deps, ...facts, views });
  teardown.add('runners', () => runners.close());
  const runRequests = createRunRequests({ ...deps, views });
  teardown.add('run requests', () => runRequests.close());
  return { runners, runRequests };
}
