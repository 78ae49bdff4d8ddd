// Body of GET /api/v1/job/:id/prompt.
import { z } from 'zod';

export const JobPrompt = z
  .object({
    parts: z.array(z.object({ name: z.string(), text: z.string() })).meta({
      description:
        'The parts that providers can cache, in order; one part `prompt` if it was not sent in parts',
    }),
  })
  .meta({ id: 'JobPrompt' });
export type JobPrompt = z.infer<typeof JobPrompt>;
