// What the role of the person allows in the chosen team.
import { PERMISSIONS } from '../../src/contract/permissions.ts';
import type { Action } from '../../src/contract/permissions.ts';
import { useMe } from './me.ts';

export function useMay(action: Action): boolean {
  const { data } = useMe();
  return data !== undefined && PERMISSIONS[data.team.role].includes(action);
}

/** Viewers see everything and change nothing. */
export function useMayWrite(): boolean {
  return useMay('write');
}
