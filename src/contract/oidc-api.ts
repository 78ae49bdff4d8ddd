// Bodies of /api/v1/auth/oidc: signing in with the provider of an organisation.
import { z } from 'zod';

export const OidcStartRequest = z
  .object({
    return: z.string().max(500).optional().meta({
      description: 'Path of a page of this server to go to afterwards',
      example: '/device',
    }),
    invitation: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'What follows `#` in an invitation, to join its team' }),
    connect: z
      .boolean()
      .optional()
      .meta({ description: 'Connects the account of the session that sends this' }),
  })
  .meta({ id: 'OidcStartRequest' });

export const OidcStarted = z
  .object({ url: z.string().meta({ description: 'Where the provider signs people in' }) })
  .meta({ id: 'OidcStarted' });
