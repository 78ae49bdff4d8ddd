// Bodies of /v1/teams: teams, their members and invitations.
import { z } from 'zod';
import { NewEmail } from './auth-api.ts';
import { Timestamp, USER_ID_PATTERN, plainText } from './fields.ts';
import { ROLES } from './permissions.ts';

const Name = plainText(100).meta({ example: 'Platform' });
const RoleField = z.enum(ROLES).meta({ description: 'What the member may do in the team' });

export const TeamSettings = z
  .object({
    defaultModel: plainText(200)
      .nullish()
      .meta({ description: 'Model for executions that name none; null for that of the server' }),
    retentionDays: z.number().int().min(1).max(3650).nullish().meta({
      description: 'How long ended jobs and runs are kept; null for as long as the tier allows',
    }),
    budgetUsd: z.number().min(0).max(1_000_000_000).nullish().meta({
      description: 'Most that the team may spend in a month, in dollars; null for no limit',
    }),
    allowedModels: z
      .array(plainText(200).min(1))
      .max(200)
      .nullish()
      .meta({
        description: 'Models that the team may use, with `*` for any characters; null for all',
        example: ['claude-*', 'gpt-*'],
      }),
    maxCallCostUsd: z.number().positive().max(1_000_000).nullish().meta({
      description: 'Most that one job or call may cost, in dollars; null for no limit',
    }),
    maxRunningRequests: z.number().int().min(1).max(10_000).nullish().meta({
      description:
        'Most run requests of the team that runners do at a time, over all projects; null for no limit',
    }),
    approvalByOther: z.boolean().nullish().meta({
      description:
        'Whether changes need the approval of another person than who makes the run. At their own terminal it is advice',
    }),
    storeModelCalls: z.boolean().nullish().meta({
      description: 'Whether bodies of calls through the model endpoint are stored with them',
    }),
  })
  .meta({ id: 'TeamSettings' });
export type TeamSettings = z.infer<typeof TeamSettings>;

export const CreateTeamRequest = z.object({ name: Name }).meta({ id: 'CreateTeamRequest' });

export const UpdateTeamRequest = z
  .object({ name: Name.optional(), settings: TeamSettings.optional() })
  .meta({ id: 'UpdateTeamRequest' });
export type UpdateTeamRequest = z.infer<typeof UpdateTeamRequest>;

export const Team = z
  .object({
    id: z.string().meta({ example: 'team_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    name: z.string(),
    slug: z.string().meta({ example: 'platform' }),
    tier: z.string(),
    role: z.enum(ROLES).meta({ description: 'Your role in the team' }),
    memberCount: z.number().int(),
    personal: z.boolean().meta({ description: 'Whether it is the team that every user has' }),
    createdAt: Timestamp,
    settings: TeamSettings,
  })
  .meta({ id: 'Team' });
export type Team = z.infer<typeof Team>;

export const TeamList = z
  .object({ items: z.array(Team), total: z.number().int() })
  .meta({ id: 'TeamList' });

export const DeletedTeam = z
  .object({ deleted: z.literal(true), id: z.string() })
  .meta({ id: 'DeletedTeam' });

export const Member = z
  .object({
    userId: z.string().meta({
      description: 'Id of the user; of the invitation while the person is invited',
      example: 'user_01jcq8z5e0e5v8r3m6k1t2w9xh',
    }),
    email: z.string(),
    name: z.string().nullable(),
    role: RoleField,
    status: z.enum(['active', 'invited']),
    joinedAt: Timestamp.nullable(),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;

export const MemberList = z
  .object({ items: z.array(Member), total: z.number().int() })
  .meta({ id: 'MemberList' });

export const AddMemberRequest = z
  .object({
    email: NewEmail.optional().meta({
      description: 'Invites the person with this address',
    }),
    userId: z
      .string()
      .regex(USER_ID_PATTERN, 'must be a user id')
      .optional()
      .meta({ description: 'Invites this user' }),
    role: RoleField,
  })
  .refine(({ email, userId }) => (email === undefined) !== (userId === undefined), {
    message: 'is required, or else userId; not both',
    path: ['email'],
  })
  .meta({ id: 'AddMemberRequest' });
export type AddMemberRequest = z.infer<typeof AddMemberRequest>;

export const AddedMember = Member.extend({
  invitation: z
    .object({
      url: z.string().nullable().meta({
        description:
          'Send it to the person; it works once. Null on a server that sends mail: the link goes to the mailbox alone',
      }),
      expiresAt: Timestamp,
      mailed: z.boolean().meta({
        description:
          'Whether the link is on its way by mail. If not and `url` is null, the mail server does not take anything: invite again later',
      }),
    })
    .optional(),
}).meta({ id: 'AddedMember' });
export type AddedMember = z.infer<typeof AddedMember>;

export const ChangeMemberRequest = z
  .object({ role: RoleField })
  .meta({ id: 'ChangeMemberRequest' });

export const RemovedMember = z
  .object({ removed: z.literal(true), userId: z.string() })
  .meta({ id: 'RemovedMember' });

export const AcceptInvitationRequest = z
  .object({
    token: z.string().min(1).max(100).meta({ description: 'What follows `#` in the link' }),
  })
  .meta({ id: 'AcceptInvitationRequest' });
