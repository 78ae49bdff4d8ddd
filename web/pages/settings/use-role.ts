import { PERMISSIONS } from '../../../src/contract/permissions.ts';
import type { Action } from '../../../src/contract/permissions.ts';
import { useMe } from '../../app/use-me.ts';

/** Whether the role of the person in the chosen team allows it. */
export function useMay(action: Action): boolean {
  const { data } = useMe();
  return data !== undefined && PERMISSIONS[data.team.role].includes(action);
}
