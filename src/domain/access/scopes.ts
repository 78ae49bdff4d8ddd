// What an API key may be used for. `admin` opens everything.

export const SCOPES = [
  'jobs',
  'executions',
  'history',
  'keys',
  'webhooks',
  'teams',
  'billing',
  'admin',
] as const;
export type Scope = (typeof SCOPES)[number];

export function isScope(value: string): value is Scope {
  return (SCOPES as readonly string[]).includes(value);
}

export function hasScope(granted: readonly string[], needed: Scope): boolean {
  return granted.includes(needed) || granted.includes('admin');
}
