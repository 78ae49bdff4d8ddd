import type { Role } from '../../contract/permissions.ts';

/** Owners are made, changed and removed by owners only; other roles by members who may manage the team. */
export function mayGiveRole(own: Role, role: Role): boolean {
  return own === 'owner' || role !== 'owner';
}
