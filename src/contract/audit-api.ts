// Bodies of /v1/audit.
import { z } from 'zod';
import { AUDIT_ACTIONS } from './audit-actions.ts';
import type { AuditAction } from './audit-actions.ts';
import { Timestamp, USER_ID_PATTERN, pageLimit } from './fields.ts';

export const AUDIT_ID_PATTERN = /^aud_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** The first part of actions, as in `member.*`. */
const GROUPS = [...new Set(Object.keys(AUDIT_ACTIONS).map((name) => name.split('.', 1)[0]!))];
const FILTERS = [...Object.keys(AUDIT_ACTIONS), ...GROUPS.map((group) => `${group}.*`)];

export const AuditQuery = z.object({
  limit: pageLimit('Entries', 50),
  before: z
    .string()
    .regex(AUDIT_ID_PATTERN, 'must be the nextCursor of an earlier page')
    .optional()
    .meta({ description: '`nextCursor` of the page before' }),
  action: z
    .string()
    .refine((text) => FILTERS.includes(text), {
      message: `must be one of ${FILTERS.join(', ')}`,
    })
    .optional()
    .meta({ description: 'Only this action, or those of a group, as in `member.*`' }),
  userId: z
    .string()
    .regex(USER_ID_PATTERN, 'must be a user id')
    .optional()
    .meta({ description: 'Only what this user did' }),
  target: z.string().min(1).max(200).optional().meta({ description: 'Only changes of this id' }),
  since: Timestamp.optional().meta({ description: 'Not before this time' }),
  until: Timestamp.optional().meta({ description: 'Before this time' }),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

export const AuditEvent = z
  .object({
    id: z.string().meta({ example: 'aud_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    at: Timestamp,
    action: z.enum(Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]]),
    teamId: z.string().nullable(),
    actor: z.object({
      userId: z
        .string()
        .nullable()
        .meta({ description: 'Null for the operator of the server and the server itself' }),
      email: z.string().nullable(),
      credential: z.string().meta({
        description: 'How: session, device, key, link, operator (a command) or system',
      }),
      credentialId: z.string().nullable(),
      address: z.string().nullable().meta({ description: 'Network address' }),
    }),
    target: z.string().nullable().meta({ description: 'The id of what was changed' }),
    before: z.record(z.string(), z.unknown()).nullable(),
    after: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'AuditEvent' });
export type AuditEvent = z.infer<typeof AuditEvent>;

export const AuditPage = z
  .object({
    items: z.array(AuditEvent),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean(),
    limit: z.number().int(),
  })
  .meta({ id: 'AuditPage' });
export type AuditPage = z.infer<typeof AuditPage>;
