// GET /api/v1/events: everything that a page follows, in one stream.
import { z } from 'zod';
import { MAX_TOPICS, parseTopic } from './live-topics.ts';

export const LiveQuery = z.object({
  topics: z
    .string()
    .max(4000)
    .refine(
      (text) => {
        const names = text.split(',');
        return names.length <= MAX_TOPICS && names.every((name) => parseTopic(name));
      },
      { message: `must be up to ${MAX_TOPICS} of "team", "run:ID", "job:ID" and "execution:ID"` },
    )
    .meta({ description: 'Topics, separated by commas', example: 'team,run:run_01jcq8z5e0' }),
});

/** What changed in the team since the last such message. */
export interface TeamNews {
  runs?: string[];
  jobs?: string[];
  executions?: string[];
  approvals?: string[];
  /** Run requests, runners and projects. Names none of them: there are few. */
  requests?: string[];
}
