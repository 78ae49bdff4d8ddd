// Bodies of /api/v1/api-keys: the keys that programs call with.
import { z } from 'zod';
import { TEAM_ID_PATTERN, Timestamp, plainText } from './fields.ts';
import { SCOPES } from './permissions.ts';

const KeyName = plainText(100).meta({ description: 'What the key is for', example: 'ci' });

const Scopes = z
  .array(z.enum(SCOPES))
  .min(1)
  .max(20)
  .meta({
    description: 'What the key may do; all but `admin` and `runner` if omitted',
    example: ['jobs'],
  });

export const TeamId = z
  .string()
  .regex(TEAM_ID_PATTERN, 'must be a team id')
  .meta({ example: 'team_01jcq8z5e0e5v8r3m6k1t2w9xh' });

export const CreateApiKeyRequest = z
  .object({
    name: KeyName,
    scopes: Scopes.nullish(),
    expiresInDays: z
      .number()
      .int()
      .min(1)
      .max(36_500)
      .nullish()
      .meta({ description: 'When the key expires; never if omitted' }),
    teamId: TeamId.nullish().meta({
      description:
        'The only team the key acts in. If omitted, it acts in your personal team, or in the one that X-Team-Id names',
    }),
  })
  .meta({ id: 'CreateApiKeyRequest' });
export type CreateApiKeyRequest = z.infer<typeof CreateApiKeyRequest>;

export const ApiKey = z
  .object({
    id: z.string().meta({ example: 'key_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    name: z.string(),
    maskedKey: z.string().meta({ example: 'mill_sk_4fT0...x7Qa' }),
    scopes: z.array(z.string()),
    teamId: z.string().nullable().meta({ description: 'The only team the key acts in, if any' }),
    status: z.enum(['active', 'expired', 'revoked']),
    createdAt: Timestamp,
    expiresAt: Timestamp.nullable(),
    lastUsedAt: Timestamp.nullable().meta({ description: 'To the minute' }),
    replacedBy: z.string().nullable().meta({ description: 'The key it was rotated to, if any' }),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export const CreatedApiKey = ApiKey.extend({
  key: z.string().meta({ description: 'The API key; shown only once', example: 'mill_sk_...' }),
}).meta({ id: 'CreatedApiKey' });
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

export const TeamApiKey = ApiKey.extend({
  userId: z.string().meta({ description: 'Whose key it is' }),
  email: z.string(),
}).meta({ id: 'TeamApiKey' });
export type TeamApiKey = z.infer<typeof TeamApiKey>;

export const TeamApiKeyList = z
  .object({ items: z.array(TeamApiKey) })
  .meta({ id: 'TeamApiKeyList' });

export const ApiKeyList = z.object({ items: z.array(ApiKey) }).meta({ id: 'ApiKeyList' });

export const RotateApiKeyRequest = z
  .object({
    gracePeriodHours: z
      .number()
      .min(0)
      .max(168)
      .default(24)
      .meta({ description: 'How long the old key keeps working' }),
  })
  .meta({ id: 'RotateApiKeyRequest' });
export type RotateApiKeyRequest = z.infer<typeof RotateApiKeyRequest>;

export const RotatedApiKey = CreatedApiKey.extend({
  previous: z.object({
    id: z.string(),
    expiresAt: Timestamp.meta({ description: 'When the old key stops working' }),
  }),
}).meta({ id: 'RotatedApiKey' });
export type RotatedApiKey = z.infer<typeof RotatedApiKey>;

export const RevokedApiKey = z
  .object({ revoked: z.literal(true), id: z.string() })
  .meta({ id: 'RevokedApiKey' });
