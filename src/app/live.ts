// What pages follow live, put together.
import { createAttempts } from '../services/accounts/attempts.ts';
import type { ExecutionEventService } from '../services/executions/execution-events.ts';
import type { JobEventService } from '../services/jobs/job-events.ts';
import type { JobService } from '../services/jobs/jobs.ts';
import type { LimitService } from '../services/limits.ts';
import { createLiveService } from '../services/live/live-events.ts';
import type { LiveService } from '../services/live/live-events.ts';
import { createRunFeeds } from '../services/live/run-feed.ts';
import { createTeamNews } from '../services/live/team-news.ts';
import type { RunOwners } from '../services/runs/run-owner.ts';
import { createRunReportService } from '../services/runs/run-reports.ts';
import type { RunReportService } from '../services/runs/run-reports.ts';
import { createRunShareService } from '../services/runs/run-shares.ts';
import type { RunShareService } from '../services/runs/run-shares.ts';
import type { Parts } from './parts.ts';
import type { Teardown } from './teardown.ts';

export function liveServices(
  parts: Pick<Parts, 'db' | 'signals' | 'log' | 'masterKeys'> & {
    runOwners: RunOwners;
    jobs: JobService;
    events: JobEventService;
    executionEvents: ExecutionEventService;
    limits: LimitService;
  },
  teardown: Teardown,
): { live: LiveService; reports: RunReportService; shares: RunShareService } {
  const reports = createRunReportService(parts);
  const runFeeds = createRunFeeds(parts);
  teardown.add('run feeds', () => runFeeds.close());
  const onError = (error: unknown) => parts.log.warn({ err: error }, 'no news for pages');
  const teamNews = createTeamNews({ ...parts, onError });
  teardown.add('team news', () => teamNews.close());
  const live = createLiveService({
    ...parts,
    jobEvents: parts.events,
    runFeeds,
    teamNews,
  });
  const shares = createRunShareService({ ...parts, attempts: createAttempts(parts) });
  return { live, reports, shares };
}
