// What an API key may be used for.
import { SCOPES } from '../../contract/permissions.ts';
import type { Scope } from '../../contract/permissions.ts';

export function isScope(value: string): value is Scope {
  return (SCOPES as readonly string[]).includes(value);
}

export function hasScope(granted: readonly string[], needed: Scope): boolean {
  return granted.includes(needed) || granted.includes('admin');
}
