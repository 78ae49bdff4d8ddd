// Bodies of /api/v1/admin/users and /api/v1/admin/teams: for those who manage the server.
import { z } from 'zod';
import { TEAM_ID_PATTERN, Timestamp, USER_ID_PATTERN, plainText } from './fields.ts';

const Reason = plainText(500).optional().meta({ description: 'Noted for other administrators' });

const listQuery = (id: RegExp) =>
  z.object({
    search: plainText(200)
      .optional()
      .meta({ description: 'Part of an email address, of a name or slug, or a whole id' }),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(100)
      .default(50)
      .meta({ description: 'How many to return' }),
    before: z
      .string()
      .regex(id, 'must be the nextCursor of an earlier page')
      .optional()
      .meta({ description: '`nextCursor` of the page before' }),
  });
export const AdminUsersQuery = listQuery(USER_ID_PATTERN);
export const AdminTeamsQuery = listQuery(TEAM_ID_PATTERN);
export type AdminListQuery = z.infer<typeof AdminUsersQuery>;

const MonthUsage = z
  .object({
    runs: z.number().int().meta({ description: 'Counted against the quota' }),
    costUsd: z.number(),
  })
  .meta({ id: 'MonthUsage', description: 'Since the first of the month, UTC' });

const suspension = {
  suspendedAt: Timestamp.nullable(),
  suspendedReason: z.string().nullable(),
};

export const AdminUser = z
  .object({
    id: z.string().meta({ example: 'user_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    email: z.string(),
    name: z.string().nullable(),
    isAdmin: z.boolean().meta({ description: 'Whether they manage this server' }),
    ...suspension,
    tier: z.string().meta({ description: 'Of the personal team' }),
    personalTeamId: z.string(),
    teamCount: z.number().int(),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable().meta({ description: 'Of any key or session, to the minute' }),
    usage: MonthUsage,
  })
  .meta({ id: 'AdminUser' });
export type AdminUser = z.infer<typeof AdminUser>;

export const AdminTeam = z
  .object({
    id: z.string().meta({ example: 'team_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    name: z.string(),
    slug: z.string(),
    tier: z.string(),
    personal: z.boolean(),
    ...suspension,
    memberCount: z.number().int(),
    ownerEmail: z.string().nullable().meta({ description: 'The owner who joined first' }),
    createdAt: Timestamp,
    usage: MonthUsage,
  })
  .meta({ id: 'AdminTeam' });
export type AdminTeam = z.infer<typeof AdminTeam>;

const pageOf = (item: z.ZodType, id: string) =>
  z
    .object({ items: z.array(item), nextCursor: z.string().nullable(), hasMore: z.boolean() })
    .meta({ id });
export const AdminUserList = pageOf(AdminUser, 'AdminUserList');
export const AdminTeamList = pageOf(AdminTeam, 'AdminTeamList');

export const UpdateUserRequest = z
  .object({
    suspended: z.boolean().optional(),
    isAdmin: z.boolean().optional(),
    reason: Reason,
  })
  .meta({ id: 'UpdateUserRequest' });
export type UpdateUserRequest = z.infer<typeof UpdateUserRequest>;

export const AdminUpdateTeamRequest = z
  .object({
    tier: z.enum(['trial', 'pro', 'team', 'enterprise']).optional(),
    suspended: z.boolean().optional(),
    reason: Reason,
  })
  .meta({ id: 'AdminUpdateTeamRequest' });
export type AdminUpdateTeamRequest = z.infer<typeof AdminUpdateTeamRequest>;
