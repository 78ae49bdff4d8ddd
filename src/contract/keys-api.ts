// Bodies of /api/v1/keys: provider keys of users and teams.
import { z } from 'zod';
import { Timestamp } from './fields.ts';

export const ProviderKey = z
  .object({
    provider: z.string().meta({ example: 'anthropic' }),
    maskedKey: z.string().meta({ example: 'sk-ant-...9f2c' }),
    createdAt: Timestamp,
    owner: z
      .literal('team')
      .optional()
      .meta({ description: 'Present if the key is that of the team and not your own' }),
  })
  .meta({ id: 'ProviderKey' });
export type ProviderKey = z.infer<typeof ProviderKey>;

const OwnerKind = z.enum(['personal', 'team']).default('personal').meta({
  description:
    'Whether the key is your own or that of the team the request acts in. Jobs use your own first. Keys of a team are managed by its admins and owners',
});

export const KeyOwnerQuery = z.object({ owner: OwnerKind });

export const ProviderKeyList = z
  .object({ keys: z.array(ProviderKey) })
  .meta({ id: 'ProviderKeyList' });

export const StoreKeyRequest = z
  .object({
    provider: z.string().meta({
      description: 'anthropic, openai, google or openrouter',
      example: 'anthropic',
    }),
    key: z
      .string()
      .transform((text) => text.trim())
      .pipe(z.string().regex(/^[\x21-\x7e]{8,500}$/, 'must be 8 to 500 characters without spaces'))
      .meta({ description: 'Provider API key. It is never shown again', type: 'string' }),
    // Looked at by the service, which says what accepting means; anything but true is a refusal, also
    // nothing at all.
    tosAccepted: z.unknown().optional().meta({
      description:
        'Must be true. Confirms that Millrace may call the provider with this key on your behalf',
      type: 'boolean',
    }),
    owner: OwnerKind,
  })
  .meta({ id: 'StoreKeyRequest', required: ['provider', 'key', 'tosAccepted'] });
export type StoreKeyRequest = z.infer<typeof StoreKeyRequest>;

export const StoredKey = ProviderKey.extend({
  valid: z
    .boolean()
    .meta({ description: 'False if the provider could not be reached to check the key' }),
}).meta({ id: 'StoredKey' });

export const TestedKey = z
  .object({ provider: z.string(), valid: z.boolean(), reason: z.string().optional() })
  .meta({ id: 'TestedKey' });

export const DeletedKey = z
  .object({ deleted: z.boolean(), provider: z.string() })
  .meta({ id: 'DeletedKey' });
