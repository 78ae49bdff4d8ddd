// The body of every error, on both surfaces.
import { z } from 'zod';

export const ErrorBody = z
  .object({
    error: z.object({
      code: z.string().meta({ description: 'One of the codes of the error table' }),
      message: z.string().meta({ description: 'What is wrong and what to do about it' }),
      details: z
        .union([
          z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })),
          z.record(z.string(), z.unknown()),
        ])
        .optional(),
    }),
  })
  .meta({ id: 'Error' });
