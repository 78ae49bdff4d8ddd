// Bodies of /api/v1/keys: a user's own provider keys.
import { z } from 'zod';
import { Timestamp } from './fields.ts';

export const ProviderKey = z
  .object({
    provider: z.string().meta({ example: 'anthropic' }),
    maskedKey: z.string().meta({ example: 'sk-ant-...9f2c' }),
    createdAt: Timestamp,
  })
  .meta({ id: 'ProviderKey' });
export type ProviderKey = z.infer<typeof ProviderKey>;

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
