// Bodies of /api/v1/auth/device: a command line signs in with a code that a person approves in a browser.
import { z } from 'zod';
import { Session, User } from './auth-api.ts';
import { Timestamp, plainText } from './fields.ts';

export const DeviceCodeRequest = z
  .object({
    clientName: plainText(100)
      .optional()
      .meta({ description: 'What the person sees', example: 'millrace on build-1' }),
  })
  .meta({ id: 'DeviceCodeRequest' });
export type DeviceCodeRequest = z.infer<typeof DeviceCodeRequest>;

export const DeviceCode = z
  .object({
    deviceCode: z.string().meta({ description: 'For the request of the token; keep it secret' }),
    userCode: z.string().meta({ description: 'Show it to the person', example: 'BCDF-GHJK' }),
    verificationUrl: z.string().meta({ description: 'Where the person enters the code' }),
    verificationUrlComplete: z.string().meta({ description: 'The same with the code in it' }),
    expiresInSeconds: z.number().int(),
    intervalSeconds: z.number().int().meta({ description: 'How often to ask for the token' }),
  })
  .meta({ id: 'DeviceCode' });
export type DeviceCode = z.infer<typeof DeviceCode>;

export const DeviceTokenRequest = z
  .object({ deviceCode: z.string().min(1).max(100) })
  .meta({ id: 'DeviceTokenRequest' });

/** In `details.state` of the error while there is no token. */
export const DEVICE_STATES = ['pending', 'slow_down', 'denied', 'expired'] as const;
export type DeviceState = (typeof DEVICE_STATES)[number];

export const DeviceToken = z
  .object({
    token: z.string().meta({
      description: 'Send it as `Authorization: Bearer` or `X-API-Key`. It is in this answer only',
      example: 'mill_dt_...',
    }),
    user: User,
    session: Session,
  })
  .meta({ id: 'DeviceToken' });
export type DeviceToken = z.infer<typeof DeviceToken>;

const UserCode = z
  .string()
  .min(1)
  .max(40)
  .meta({ description: 'As the command line shows it', example: 'BCDF-GHJK' });

export const DeviceLookupRequest = z
  .object({ userCode: UserCode })
  .meta({ id: 'DeviceLookupRequest' });

export const DeviceRequest = z
  .object({
    clientName: z.string().nullable(),
    address: z.string().meta({ description: 'Network address that asks' }),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  })
  .meta({ id: 'DeviceRequest' });
export type DeviceRequest = z.infer<typeof DeviceRequest>;

export const DeviceDecisionRequest = z
  .object({ userCode: UserCode, approve: z.boolean() })
  .meta({ id: 'DeviceDecisionRequest' });
export type DeviceDecisionRequest = z.infer<typeof DeviceDecisionRequest>;

export const DeviceDecision = z.object({ approved: z.boolean() }).meta({ id: 'DeviceDecision' });
