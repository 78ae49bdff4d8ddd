// Who may answer what a run asks.
import { ROLES } from '../../contract/permissions.ts';
import type { Role } from '../../contract/permissions.ts';
import type { AnsweringRole, ApprovalKind } from '../../contract/approval-api.ts';

export type ByOther = 'required' | 'advised' | null;

/** `ROLES` begins with the one that may do most. */
const isAtLeast = (role: Role, least: AnsweringRole): boolean =>
  ROLES.indexOf(role) <= ROLES.indexOf(least);

/** Undefined when the caller may; otherwise why not. */
export function whyNotAnswered(
  approval: { role: AnsweringRole; byOther: ByOther; userId: string },
  caller: { role: Role; userId: string },
): string | undefined {
  const { role, byOther, userId } = approval;
  if (!isAtLeast(caller.role, role)) {
    return `Your role in this team is ${caller.role}. This needs the answer of ${role === 'owner' ? 'an owner' : `the role ${role} or above`}.`;
  }
  if (byOther === 'required' && caller.userId === userId) {
    return 'This team wants another person to approve it. Ask another member of the team.';
  }
  return undefined;
}

/** Kinds that put something of the author into the world; a budget or a question concerns only how it is made. */
const OF_CHANGES: ReadonlySet<ApprovalKind> = new Set(['changes', 'push']);

export function byOtherOf(
  { kind, origin }: { kind: ApprovalKind; origin: 'terminal' | 'runner' },
  isWanted: boolean,
): ByOther {
  if (!isWanted || !OF_CHANGES.has(kind)) return null;
  // What is pushed is there for everybody, wherever it was made.
  if (kind === 'push') return 'required';
  return origin === 'terminal' ? 'advised' : 'required';
}
