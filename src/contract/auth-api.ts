// Bodies of /api/v1/auth: signing in and out, sessions, passwords, and links that work once.
import { z } from 'zod';
import { looksLikeEmail, normalEmail } from './email-address.ts';
import { Timestamp, plainText } from './fields.ts';
import { ROLES } from './permissions.ts';

const NOT_AN_EMAIL = 'must be an email address';

/** Of an account that may exist. */
export const Email = z
  .string()
  .refine(looksLikeEmail, { message: NOT_AN_EMAIL })
  .meta({ description: 'Email address of the account', example: 'you@example.com' });

/** Of an account that is new, or may be: in its one form from here on. */
export const NewEmail = Email.refine((text) => normalEmail(text) !== undefined, {
  message: 'must be an email address without invisible or ambiguous characters',
  abort: true,
}).overwrite((text) => normalEmail(text) ?? text);

/** Only a bound on what is looked at: which passwords may be chosen is a rule of its own. */
const Password = z.string().min(1).max(1024);

const NewPassword = Password.meta({
  description: 'At least 12 characters, and not easy to guess',
});

const LinkToken = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'What follows `#` in the link', example: 'mill_ln_...' });

export const PersonName = plainText(100).meta({ example: 'Jane Walker' });

export const LoginRequest = z
  .object({ email: Email, password: Password })
  .meta({ id: 'LoginRequest' });
export type LoginRequest = z.infer<typeof LoginRequest>;

export const User = z
  .object({
    id: z.string().meta({ example: 'user_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    email: z.string(),
    name: z.string().nullable(),
    isAdmin: z.boolean().meta({ description: 'Whether the user is a server administrator' }),
    emailVerified: z.boolean().meta({
      description:
        'Whether the user has shown that the mailbox is theirs: by a mailed link or by single sign-on',
    }),
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof User>;

export const UpdateMeRequest = z
  .object({
    name: PersonName.optional(),
    approvalMails: z.boolean().optional().meta({
      description: 'Whether you get mail about what runs ask and you may answer',
    }),
  })
  .meta({ id: 'UpdateMeRequest' });
export type UpdateMeRequest = z.infer<typeof UpdateMeRequest>;

export const Session = z
  .object({
    id: z.string().meta({ example: 'ses_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    createdAt: Timestamp,
    lastUsedAt: Timestamp,
    expiresAt: Timestamp.meta({
      description:
        '7 days after the last use, at most 30 days after sign-in; 30 and 90 for a command line',
    }),
    kind: z
      .enum(['session', 'device'])
      .meta({ description: '`device`: a command line that was signed in with a code' }),
    name: z.string().nullable().meta({ description: 'What the command line calls itself' }),
    address: z.string().meta({ description: 'Network address at sign-in' }),
    userAgent: z.string().nullable(),
    current: z.boolean().meta({ description: 'Whether this request uses it' }),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof Session>;

export const SessionList = z.object({ items: z.array(Session) }).meta({ id: 'SessionList' });

export const EndedAccess = z
  .object({
    password: z.boolean(),
    sessions: z.number().int(),
    apiKeys: z.number().int(),
    identities: z.number().int().meta({ description: 'Of single sign-on' }),
  })
  .meta({
    id: 'EndedAccess',
    description:
      'What has ended because you were the first to show that the mailbox of this account is yours: it may have been set up by another person',
  });
export type EndedAccess = z.infer<typeof EndedAccess>;

export const SignedIn = z
  .object({ user: User, session: Session, ended: EndedAccess.optional() })
  .meta({ id: 'SignedIn' });
export type SignedIn = z.infer<typeof SignedIn>;

export const SignedOut = z.object({ signedOut: z.literal(true) }).meta({ id: 'SignedOut' });

export const EndedSession = z
  .object({ ended: z.literal(true), id: z.string() })
  .meta({ id: 'EndedSession' });

export const EndedSessions = z
  .object({ ended: z.number().int() })
  .meta({ id: 'EndedSessions', description: 'How many sessions were ended' });

export const Me = z
  .object({
    user: User,
    approvalMails: z.boolean().nullable().meta({
      description:
        'Whether you get mail about what runs ask and you may answer; null where the server sends none, or your mailbox is not known to be yours',
    }),
    team: z
      .object({
        id: z.string(),
        name: z.string(),
        role: z.enum(ROLES),
        tier: z.string().meta({ description: 'The tier of the team', example: 'pro' }),
      })
      .meta({ description: 'The team that this request acts in' }),
    credential: z.object({
      kind: z.enum(['key', 'session', 'device', 'request']),
      id: z.string(),
      scopes: z.array(z.string()).optional().meta({ description: 'Scopes of the API key' }),
    }),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof Me>;

export const ChangePasswordRequest = z
  .object({ currentPassword: Password, newPassword: NewPassword })
  .meta({ id: 'ChangePasswordRequest' });
export type ChangePasswordRequest = z.infer<typeof ChangePasswordRequest>;

export const DeleteAccountRequest = z
  .object({
    email: Email.meta({
      description: 'The email address of the account, so that nothing is deleted by mistake',
    }),
    password: Password.optional().meta({ description: 'Required if the account has a password' }),
  })
  .meta({ id: 'DeleteAccountRequest' });
export type DeleteAccountRequest = z.infer<typeof DeleteAccountRequest>;

export const DeletedAccount = z
  .object({ deleted: z.literal(true), userId: z.string() })
  .meta({ id: 'DeletedAccount' });

export const SetUpRequest = z
  .object({ token: LinkToken, email: NewEmail, name: PersonName.nullish(), password: NewPassword })
  .meta({ id: 'SetUpRequest' });
export type SetUpRequest = z.infer<typeof SetUpRequest>;

export const SignUpRequest = z
  .object({ token: LinkToken, name: PersonName.nullish(), password: NewPassword })
  .meta({ id: 'SignUpRequest' });
export type SignUpRequest = z.infer<typeof SignUpRequest>;

export const ResetPasswordRequest = z
  .object({ token: LinkToken, password: NewPassword })
  .meta({ id: 'ResetPasswordRequest' });
export type ResetPasswordRequest = z.infer<typeof ResetPasswordRequest>;

export const ForgotPasswordRequest = z
  .object({ email: Email })
  .meta({ id: 'ForgotPasswordRequest' });

export const ForgotPassword = z
  .object({ accepted: z.literal(true) })
  .meta({ id: 'ForgotPassword' });

export const LinkRequest = z.object({ token: LinkToken }).meta({ id: 'LinkRequest' });

export const Link = z
  .object({
    kind: z.enum(['setup', 'invitation', 'reset', 'sign-in']),
    email: z.string().nullable().meta({ description: 'Whose link it is; null for the set-up' }),
    teamId: z.string().nullable().meta({ description: 'Team of an invitation' }),
    teamName: z.string().nullable().meta({ description: 'Its name' }),
    role: z.enum(ROLES).nullable().meta({ description: 'Role that an invitation gives' }),
    hasAccount: z
      .boolean()
      .meta({ description: 'Whether there is an account already, to sign in with' }),
    expiresAt: Timestamp,
  })
  .meta({ id: 'Link' });
export type Link = z.infer<typeof Link>;

export const MakeResetLinkRequest = z.object({ email: Email }).meta({ id: 'MakeResetLinkRequest' });

export const ResetLink = z
  .object({
    email: z.string(),
    url: z.string().meta({ description: 'Works once. Send it to the owner of the account' }),
    expiresAt: Timestamp,
  })
  .meta({ id: 'ResetLink' });
