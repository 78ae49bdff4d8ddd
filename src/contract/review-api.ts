// Bodies of /v1/approvals/:id/review: changes that a person looks through hunk by hunk. The review is an approval with files
// below it: who may answer, until when, and that one answer counts, is the approval's.
import { z } from 'zod';
import { RunId, StreamId, Timestamp, wholeNumber } from './fields.ts';

export const MAX_REVIEW_FILES = 5000;
/** Of all texts of a review, both sides. */
export const MAX_REVIEW_BYTES = 96 * 1024 * 1024;
/** Of one side of a file: a longer one is decided as a whole, unseen. */
export const MAX_REVIEW_TEXT = 2 * 1024 * 1024;
export const MAX_COMMENTS = 2000;
export const MAX_SENT_FILES = 200;
/** What is said of how a review ended. */
export const MAX_OUTCOME = 2000;
/** In one change of a draft. */
export const MAX_DRAFT_COMMENTS = 100;
const MAX_COMMENT = 20_000;
const MAX_HUNKS = 50_000;

const wellFormed = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => text.isWellFormed() && !text.includes('\0'), {
      message: 'must be well-formed text without null characters',
    });

const line = z.number().int().min(0).max(10_000_000);
const Path = wellFormed(1024).min(1);
const HunkId = z.string().regex(/^[0-9a-f]{16}$/, 'must be the id of a hunk');
const CommentId = z
  .string()
  .regex(/^[0-9a-z_-]{8,40}$/, 'must be 8 to 40 lower-case letters, digits, _ or -');

/** Lines counted from 0; `from` is part of it, `to` is not. */
const place = { oldFrom: line, oldTo: line, newFrom: line, newTo: line };

export const ReviewHunk = z
  .object({
    id: HunkId,
    kind: z.enum(['lines', 'whole', 'mode']).meta({
      description:
        'Lines of a text, a file as a whole, or that it becomes a program or stops being one',
    }),
    ...place,
    parts: z
      .array(z.object({ id: HunkId, ...place }))
      .max(1000)
      .optional()
      .meta({ description: 'Into which it can be split; decided instead of the hunk' }),
  })
  .meta({
    id: 'ReviewHunk',
    description: 'Lines are counted from 0; the first belongs to it, the last does not',
  });
export type ReviewHunk = z.infer<typeof ReviewHunk>;

const summary = {
  path: Path,
  kind: z.enum(['create', 'edit', 'delete']),
  renamedFrom: Path.nullable()
    .default(null)
    .meta({ description: 'Of a new file: the file that goes and has the same content' }),
  streams: z.array(StreamId).max(100).meta({ description: 'That wrote it' }),
  isBinary: z.boolean(),
  isSteering: z.boolean().default(false).meta({
    description: 'Whether assistants or tools follow it',
  }),
  additions: line,
  deletions: line,
  size: z.number().int().min(0).meta({ description: 'In bytes, as it is written' }),
  hunks: z.array(ReviewHunk).max(MAX_HUNKS),
};

const text = wellFormed(MAX_REVIEW_TEXT).nullable();

export const ReviewFile = z
  .object({
    ...summary,
    before: text.meta({ description: 'null if there was no file, or it is not shown' }),
    after: text.meta({ description: 'null if there is no file, or it is not shown' }),
    notShown: z.enum(['binary', 'large']).nullable().default(null),
  })
  .meta({ id: 'ReviewFile' });
export type ReviewFile = z.infer<typeof ReviewFile>;

export const ReviewFileSummary = z
  .object({ ...summary, position: line })
  .meta({ id: 'ReviewFileSummary' });
export type ReviewFileSummary = z.infer<typeof ReviewFileSummary>;

const comment = {
  path: Path,
  side: z.enum(['old', 'new']),
  line: line.meta({ description: 'The first line, counted from 1' }),
  endLine: line.optional().meta({ description: 'The last line, if there are several' }),
  hunk: HunkId.optional().meta({ description: 'The hunk it is about' }),
  text: wellFormed(MAX_COMMENT),
  suggestion: wellFormed(MAX_COMMENT)
    .optional()
    .meta({ description: 'What these lines of the new side should be' }),
  quoted: wellFormed(MAX_COMMENT).meta({ description: 'The lines as they were seen' }),
};

export const ReviewComment = z
  .object(comment)
  .refine(({ text, suggestion }) => text.trim() !== '' || suggestion !== undefined, {
    message: 'must have words or a suggestion',
    path: ['text'],
  })
  .meta({ id: 'ReviewComment' });
export type ReviewComment = z.infer<typeof ReviewComment>;

export const CarriedComment = z
  .object({
    ...comment,
    id: CommentId,
    round: z.number().int().min(1).meta({ description: 'In which it was made' }),
    outdated: z.boolean().meta({ description: 'Whether its hunk has changed since' }),
    outcome: wellFormed(1000).optional().meta({ description: 'What became of it' }),
  })
  .meta({ id: 'CarriedComment' });
export type CarriedComment = z.infer<typeof CarriedComment>;

export const ReviewFailure = z
  .object({
    stream: StreamId,
    error: wellFormed(10_000),
    output: wellFormed(100_000),
  })
  .meta({ id: 'ReviewFailure', description: 'Why the last submit did not count' });

/** With the approval that asks for it. */
export const NewReview = z
  .object({
    files: z.number().int().min(1).max(MAX_REVIEW_FILES).meta({
      description: 'How many files will be sent; the review opens with the last',
    }),
    round: z.number().int().min(1).max(10_000).default(1),
    isApplied: z.boolean().meta({
      description: 'Whether the changes are in the project already, and what is rejected goes back',
    }),
    previous: z.string().max(40).optional().meta({
      description:
        'The approval of the round before: what was decided about hunks that are the same still holds',
    }),
    failed: ReviewFailure.optional(),
    comments: z.array(CarriedComment).max(MAX_COMMENTS).default([]),
    command: wellFormed(2000).meta({
      description: 'What carries the review out if nobody waits for it',
    }),
  })
  .meta({ id: 'NewReview' });
export type NewReview = z.infer<typeof NewReview>;

export const SendReviewFilesRequest = z
  .object({
    from: z.number().int().min(0).max(MAX_REVIEW_FILES).default(0).meta({
      description: 'Position of the first, counted from 0; what was sent before is replaced',
    }),
    files: z.array(ReviewFile).min(1).max(MAX_SENT_FILES),
  })
  .meta({ id: 'SendReviewFilesRequest' });
export type SendReviewFilesRequest = z.infer<typeof SendReviewFilesRequest>;
export type SentFiles = z.input<typeof SendReviewFilesRequest>;

export const SentReviewFiles = z
  .object({ received: line, files: line })
  .meta({ id: 'SentReviewFiles' });

export const REVIEW_VERDICTS = ['apply', 'changes', 'reject'] as const;
export type ReviewVerdict = (typeof REVIEW_VERDICTS)[number];

const Decisions = z.record(HunkId, z.enum(['accepted', 'rejected']));
const Comments = z.record(CommentId, ReviewComment);
const Viewed = z.record(Path, z.boolean());

export const ReviewDraft = z
  .object({
    version: z.number().int().meta({ description: 'Grows with each change' }),
    decisions: Decisions,
    comments: Comments,
    viewed: Viewed,
  })
  .meta({ id: 'ReviewDraft', description: 'What you have said so far; nobody else sees it' });
export type ReviewDraft = z.infer<typeof ReviewDraft>;

const changesOf = <T extends z.ZodType>(key: z.ZodString, value: T, max: number) =>
  z
    .record(key, value.nullable())
    .refine((all) => Object.keys(all).length <= max, {
      message: `must have at most ${max} entries`,
    })
    .optional();

export const ChangeReviewDraftRequest = z
  .object({
    decisions: changesOf(HunkId, z.enum(['accepted', 'rejected']), MAX_HUNKS),
    comments: changesOf(CommentId, ReviewComment, MAX_DRAFT_COMMENTS),
    viewed: changesOf(Path, z.boolean(), MAX_REVIEW_FILES),
  })
  .meta({
    id: 'ChangeReviewDraftRequest',
    description: 'Only what changes; null takes it away. So two tabs do not undo each other',
  });
export type ChangeReviewDraftRequest = z.infer<typeof ChangeReviewDraftRequest>;

const Person = z.object({ userId: z.string(), email: z.string(), name: z.string().nullable() });

export const ReviewSubmission = z
  .object({
    verdict: z.enum(REVIEW_VERDICTS),
    by: Person,
    at: Timestamp,
    decisions: Decisions,
    comments: Comments,
  })
  .meta({ id: 'ReviewSubmission' });
export type ReviewSubmission = z.infer<typeof ReviewSubmission>;

export const ReviewOutcome = z
  .object({
    kind: z.enum(['applied', 'failed', 'round']).meta({
      description:
        'It was carried out; it was not, because a check fails without what was rejected; or changes are being made',
    }),
    text: wellFormed(MAX_OUTCOME).default(''),
  })
  .meta({ id: 'ReviewOutcome' });
export type ReviewOutcome = z.infer<typeof ReviewOutcome>;
export type NewReviewOutcome = z.input<typeof ReviewOutcome>;

export const Review = z
  .object({
    approvalId: z.string(),
    runId: RunId,
    streamId: StreamId.nullable(),
    state: z.enum(['loading', 'open', 'submitted', 'taken', 'closed']).meta({
      description:
        'Files are still coming; a user may decide; nobody has carried it out yet; a command does; nothing more will happen',
    }),
    hash: z.string(),
    round: z.number().int(),
    isApplied: z.boolean(),
    previous: z.string().nullable(),
    failed: ReviewFailure.nullable(),
    comments: z.array(CarriedComment),
    command: z.string(),
    mayAnswer: z.boolean(),
    byOther: z.enum(['required', 'advised']).nullable(),
    files: z.array(ReviewFileSummary),
    draft: ReviewDraft,
    submission: ReviewSubmission.nullable(),
    outcome: ReviewOutcome.nullable(),
  })
  .meta({ id: 'Review' });
export type Review = z.infer<typeof Review>;

export const ReviewFileQuery = z.object({
  from: wholeNumber({ min: 0, max: MAX_REVIEW_FILES, initial: 0 }).meta({
    description: 'Position of the first file, counted from 0',
    type: 'integer',
    default: 0,
  }),
  limit: wholeNumber({ min: 1, max: MAX_SENT_FILES, initial: 20 }).meta({
    description: `Files per response, 1 to ${MAX_SENT_FILES}`,
    type: 'integer',
    default: 20,
  }),
});

export const ReviewFiles = z
  .object({
    files: z
      .array(
        z.object({
          position: line,
          path: z.string(),
          before: z.string().nullable(),
          after: z.string().nullable(),
          notShown: z.enum(['binary', 'large']).nullable(),
        }),
      )
      .meta({ description: 'Fewer than asked for if they are long' }),
  })
  .meta({ id: 'ReviewFiles' });
export type ReviewFiles = z.infer<typeof ReviewFiles>;

export const TakenReview = z
  .object({ submission: ReviewSubmission.nullable() })
  .meta({ id: 'TakenReview' });
