// GET /api/v1/events: everything that a page follows, in one stream.
import { z } from 'zod';

export const MAX_TOPICS = 20;

export const TOPIC_KINDS = ['team', 'run', 'job', 'execution'] as const;
export type TopicKind = (typeof TOPIC_KINDS)[number];

export interface Topic {
  kind: TopicKind;
  /** Empty for the team. */
  id: string;
  /** As it was asked for. */
  name: string;
}

/** Undefined for what is no topic. */
export function parseTopic(name: string): Topic | undefined {
  if (name === 'team') return { kind: 'team', id: '', name };
  const match = /^(run|job|execution):([A-Za-z0-9][A-Za-z0-9._:-]{0,127})$/.exec(name);
  return match ? { kind: match[1] as TopicKind, id: match[2]!, name } : undefined;
}

export const LiveQuery = z.object({
  topics: z
    .string()
    .max(4000)
    .refine(
      (text) => {
        const names = text.split(',');
        return names.length <= MAX_TOPICS && names.every((name) => parseTopic(name));
      },
      { message: 'must be up to 20 of "team", "run:ID", "job:ID" and "execution:ID"' },
    )
    .meta({ description: 'Topics, separated by commas', example: 'team,run:run_01jcq8z5e0' }),
});

/** What changed in the team since the last such message. */
export interface TeamNews {
  runs?: string[];
  jobs?: string[];
  executions?: string[];
}
