// Why schedules and triggers start a run, or do not. Apart from the shapes, because pages need no schemas.

export const OVERLAPS = {
  skip: 'Start nothing while an earlier run is queued or running',
  queue: 'Start it too; the runner decides how many run at once',
  cancel_older: 'Cancel the earlier runs, then start',
} as const;
export type Overlap = keyof typeof OVERLAPS;

/** Why one is paused. */
export const PAUSE_REASONS = {
  user: 'A person paused it',
  failures: 'Its runs failed too often in a row',
  owner_left: 'Its owner is no longer in the team',
  owner_role: 'The role of its owner does not allow runs',
  owner_suspended: 'The account of its owner is suspended',
} as const;
export type PauseReason = keyof typeof PAUSE_REASONS;

/** Why nothing was started. */
export const SKIP_REASONS = {
  overlap: 'An earlier run had not ended',
  queue_full: 'Too many earlier runs were waiting',
  budget: 'Its budget for the month was spent',
  missed: 'No server was up at that time',
  team_suspended: 'The team was suspended',
  refused: 'The request was refused, for example because no runner has the project',
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;

export const DEFAULT_FAILURES = 5;
