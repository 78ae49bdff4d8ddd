// What a member of a team may do there, by role. Routes, services, documents and the dashboard all
// read this table.

export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const ACTIONS = {
  read: 'see jobs, runs, executions, webhooks and usage',
  write: 'submit and cancel work, record runs, manage webhooks and keys',
  manage: 'invite and remove members, change settings',
  bill: 'change the plan, delete the team',
} as const;
export type Action = keyof typeof ACTIONS;

export const PERMISSIONS: Readonly<Record<Role, readonly Action[]>> = {
  owner: ['read', 'write', 'manage', 'bill'],
  admin: ['read', 'write', 'manage'],
  member: ['read', 'write'],
  viewer: ['read'],
};

/** What an API key may be used for. `admin` opens everything. */
export const SCOPES = [
  'jobs',
  'models',
  'executions',
  'history',
  'keys',
  'webhooks',
  'teams',
  'billing',
  'approvals',
  'runs',
  'runner',
  'admin',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Of a key that is made without a list. Who needs more asks for it by name. */
export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter(
  (scope) => scope !== 'admin' && scope !== 'runner',
);

/** Of the token with which a runner makes the run of a request: no more than a run needs. */
export const REQUEST_SCOPES: readonly Scope[] = ['jobs', 'models', 'history', 'approvals'];
