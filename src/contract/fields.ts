// Field shapes that several bodies share.
import { z } from 'zod';
import { MAX_TOKENS_LIMIT, STREAM_ID_PATTERN } from './stream-limits.ts';

export { MAX_TOKENS_LIMIT, STREAM_ID_PATTERN };

const BASE32 = '[0-7][0-9a-hjkmnp-tv-z]{25}';

export const JOB_ID_PATTERN = new RegExp(`^job_${BASE32}$`);
/** Run ids are made here as `run_...`, but a client that orchestrates by itself may bring its own. */
export const RUN_ID_PATTERN = STREAM_ID_PATTERN;
export const TEAM_ID_PATTERN = new RegExp(`^team_${BASE32}$`);
export const USER_ID_PATTERN = new RegExp(`^user_${BASE32}$`);
export const API_KEY_ID_PATTERN = new RegExp(`^key_${BASE32}$`);
export const SESSION_ID_PATTERN = new RegExp(`^ses_${BASE32}$`);
export const INVITATION_ID_PATTERN = new RegExp(`^inv_${BASE32}$`);
export const EXECUTION_ID_PATTERN = new RegExp(`^exec_${BASE32}$`);
export const WEBHOOK_ID_PATTERN = new RegExp(`^wh_${BASE32}$`);
export const DELIVERY_ID_PATTERN = new RegExp(`^del_${BASE32}$`);

export const MAX_BODY_BYTES = 8 * 1024 * 1024;
export const MAX_PROMPT_BYTES = 4 * 1024 * 1024;
export const DEFAULT_TIMEOUT_MS = 660_000;

// Names end up in text columns, lists and terminals: no NUL, no broken surrogates, no controls.
export const plainText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), {
      message: 'must be printable text without control characters',
    });

// The database knows no year 0.
export const Timestamp = z.iso
  .datetime()
  .refine((text) => !text.startsWith('0000'), { message: 'must be in the year 1 or later' })
  .meta({ description: 'ISO 8601, UTC' });

export const StreamId = z
  .string()
  .regex(STREAM_ID_PATTERN, 'must be 1 to 128 letters, digits, ".", "_", ":" or "-"')
  .meta({ description: 'Identifier of the stream', example: 'api' });

export const RunId = z
  .string()
  .regex(RUN_ID_PATTERN, 'must be 1 to 128 letters, digits, ".", "_", ":" or "-"')
  .meta({ description: 'Identifier of the run', example: 'run_01jcq8z5e0e5v8r3m6k1t2w9xh' });

export const ProviderOverride = z
  .string()
  .min(1)
  .max(50)
  .optional()
  .meta({ description: 'Overrides the provider implied by the model id' });

export const TokensUsed = z
  .object({ input: z.number().int().min(0), output: z.number().int().min(0) })
  .meta({ id: 'TokensUsed', description: 'Tokens consumed' });

/** A whole number in a query; outside of its bounds it is refused, never clamped. */
export function wholeNumber(bounds: { min: number; max: number; initial: number }) {
  return z
    .string()
    .regex(/^\d{1,10}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().int().min(bounds.min).max(bounds.max))
    .default(bounds.initial);
}

/** How many items a page has. */
export function pageLimit(what: string, initial: number) {
  return wholeNumber({ min: 1, max: 100, initial }).meta({
    description: `${what} per page, 1 to 100`,
    type: 'integer',
    default: initial,
  });
}

/** Of several calls. A price that is not known is not zero. */
export const KnownCost = z
  .number()
  .nullable()
  .meta({ description: 'Cost of the calls with a known price; null if no price is known' });

export const Reasoning = z.enum(['low', 'medium', 'high']).meta({
  description:
    'How much the model thinks before it answers. Models that do not reason ignore it. Defaults to what the model does by itself',
});
export type Reasoning = z.infer<typeof Reasoning>;

export const ServiceTier = z.enum(['flex', 'standard']).meta({
  description:
    'How the provider processes the call. `flex` is cheaper and slower, and is sent as `standard` when the provider has no room for it in time',
});
export type ServiceTier = z.infer<typeof ServiceTier>;

export const UsageEstimated = z.literal(true).optional().meta({
  description:
    'Present if some token counts are estimates, because a call was interrupted or its worker was lost',
});

export const UnpricedCalls = z
  .number()
  .int()
  .optional()
  .meta({ description: 'Model calls without a known price; omitted if there are none' });

export const IdempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters');
