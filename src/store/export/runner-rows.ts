// What runs a team has asked for, and its runners, for its export.
import type { Queryable } from '../postgres/db.ts';
import { LARGE_PAGE, pageOf, pages } from './pages.ts';
import type { Rows } from './pages.ts';

const REQUESTS = pageOf(
  'run_requests where team_id = $1',
  [
    'id',
    'user_id as userId',
    'api_key_id as apiKeyId',
    'project',
    'origin_kind as originKind',
    'origin_id as originId',
    'work',
    'writer',
    'status',
    'runner_id as runnerId',
    'runner_name as runnerName',
    'run_ids as runIds',
    'base',
    'outcome',
    'created_at as createdAt',
    'started_at as startedAt',
    'ended_at as endedAt',
  ],
  { id: 'id' },
);

export const runRequestsOf = (db: Queryable, teamId: string): Rows =>
  pages(db, REQUESTS, teamId, LARGE_PAGE);

const RUNNERS = pageOf(
  'runners where team_id = $1',
  ['id', 'user_id as userId', 'facts', 'created_at as createdAt', 'seen_at as seenAt'],
  { id: 'id' },
);

export const runnersOf = (db: Queryable, teamId: string): Rows =>
  pages(db, RUNNERS, teamId, LARGE_PAGE);
