// What a review has left of changes that are not written yet, as it is on disk while others are being made.
import { z } from 'zod';
import { Operation } from '../../contract/artifact.ts';
import { CarriedComment, ReviewComment } from '../../contract/review-api.ts';
import type { HeldChanges } from '../../domain/review/held-changes.ts';

export const Held: z.ZodType<HeldChanges> = z.object({
  kept: z.array(Operation),
  settled: z.array(z.string()),
  diff: z.string(),
  round: z.int(),
  previous: z.string(),
  carried: z.array(CarriedComment.omit({ outdated: true })),
});

/** As the details of a fix have it. */
export const ReviewRequest = z.object({
  comments: z.array(ReviewComment),
  held: Held.optional(),
});
