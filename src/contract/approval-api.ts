// Bodies of /v1/approvals: what runs ask a person before they act.
import { z } from 'zod';
import { RunId, StreamId, Timestamp, pageLimit, plainText } from './fields.ts';
import { NewReview } from './review-api.ts';

export const APPROVAL_ID_PATTERN = /^apr_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

export const APPROVAL_KINDS = {
  plan: 'The plan of a run, before its first call',
  changes: 'The changes of a stream, before they are written',
  push: 'Commits, before they are pushed',
  budget: 'More money than was agreed on',
  scope: 'Files that were not agreed on',
  question: 'A question of an agent; its answer is a text',
} as const;
export type ApprovalKind = keyof typeof APPROVAL_KINDS;

const Kind = z.enum(Object.keys(APPROVAL_KINDS) as [ApprovalKind, ...ApprovalKind[]]);

/** The least role that may answer; what `member` means is in the table of permissions. */
export const ANSWERING_ROLES = ['member', 'admin', 'owner'] as const;
export type AnsweringRole = (typeof ANSWERING_ROLES)[number];

export const APPROVAL_STATUSES = ['open', 'approved', 'denied', 'withdrawn'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

export const MAX_DETAIL = 512 * 1024;
const DAY_S = 24 * 3600;
export const DEFAULT_LIFE_S = DAY_S;

const wellFormed = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => text.isWellFormed(), { message: 'must be well-formed text' });

const Hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal digits')
  .meta({ description: 'SHA-256 of what is asked about' });

const Title = plainText(300).meta({
  description: 'What is asked, in one line',
  example: 'Write the changes of api: 3 files, +120 -4',
});

export const CreateApprovalRequest = z
  .object({
    kind: Kind,
    runId: RunId,
    streamId: StreamId.optional(),
    title: Title,
    detail: wellFormed(MAX_DETAIL).default('').meta({ description: 'What is shown below it' }),
    format: z.enum(['text', 'diff']).default('text').meta({ description: 'How `detail` is shown' }),
    hash: Hash,
    role: z
      .enum(ANSWERING_ROLES)
      .default('member')
      .meta({ description: 'The least role that may answer' }),
    origin: z.enum(['terminal', 'runner']).default('terminal').meta({
      description:
        "Where the run is made. At a person's own terminal the team's rule that another person approves is advice",
    }),
    expiresInSeconds: z
      .number()
      .int()
      .min(1)
      .max(30 * DAY_S)
      .default(DEFAULT_LIFE_S)
      .meta({ description: 'Nobody answered by then: denied' }),
    review: NewReview.optional().meta({
      description:
        'For `changes`: they are looked through hunk by hunk. Their files are sent afterwards',
    }),
  })
  .meta({ id: 'CreateApprovalRequest' });
export type CreateApprovalRequest = z.infer<typeof CreateApprovalRequest>;
export type NewApproval = z.input<typeof CreateApprovalRequest>;

export const ResolveApprovalRequest = z
  .object({
    decision: z.enum(['approve', 'deny']),
    hash: Hash.meta({ description: '`hash` of the approval that was shown' }),
    comment: wellFormed(2000).optional().meta({ description: 'Why' }),
    answer: wellFormed(20_000).min(1).optional().meta({
      description: 'Required to approve a `question`, and for nothing else',
    }),
    verdict: z.enum(['apply', 'changes']).optional().meta({
      description:
        'To approve a review: keep what was accepted, which is the default, or ask for changes first. To deny it rejects everything',
    }),
  })
  .meta({ id: 'ResolveApprovalRequest' });
export type ResolveApprovalRequest = z.infer<typeof ResolveApprovalRequest>;

const Person = z.object({ userId: z.string(), email: z.string(), name: z.string().nullable() });

const listed = {
  id: z.string().meta({ example: 'apr_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
  kind: Kind,
  status: z.enum(APPROVAL_STATUSES),
  runId: z.string(),
  streamId: z.string().nullable(),
  title: z.string(),
  hash: z.string(),
  role: z.enum(ANSWERING_ROLES).meta({ description: 'The least role that may answer' }),
  byOther: z.enum(['required', 'advised']).nullable().meta({
    description: 'Whether a person other than who asks has to answer, or should',
  }),
  requestedBy: Person,
  createdAt: Timestamp,
  expiresAt: Timestamp,
  path: z.string().meta({ description: 'Path of its page in the dashboard' }),
  mayAnswer: z.boolean().meta({ description: 'Whether you may answer it, while it is open' }),
  hasReview: z.boolean().meta({ description: 'Whether it is looked through hunk by hunk' }),
  resolution: z
    .object({
      by: Person.nullable().meta({ description: 'null if its time was over' }),
      at: Timestamp,
      comment: z.string().nullable(),
      answer: z.string().nullable().meta({ description: 'Of a `question`' }),
      expired: z.boolean().meta({ description: 'Whether it was denied because nobody answered' }),
    })
    .nullable()
    .meta({ description: 'null while it is open' }),
};

export const ListedApproval = z.object(listed).meta({ id: 'ListedApproval' });
export type ListedApproval = z.infer<typeof ListedApproval>;

export const Approval = z
  .object({ ...listed, detail: z.string(), format: z.enum(['text', 'diff']) })
  .meta({ id: 'Approval' });
export type Approval = z.infer<typeof Approval>;

export const ApprovalPage = z
  .object({
    items: z.array(ListedApproval),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean(),
    limit: z.number().int(),
  })
  .meta({ id: 'ApprovalPage' });
export type ApprovalPage = z.infer<typeof ApprovalPage>;

export const ApprovalListQuery = z.object({
  status: z.enum(APPROVAL_STATUSES).optional().meta({ description: 'Only these; all by default' }),
  runId: RunId.optional().meta({ description: 'Only those of this run' }),
  limit: pageLimit('Approvals', 50),
  before: z
    .string()
    .regex(APPROVAL_ID_PATTERN, 'must be the nextCursor of an earlier page')
    .optional()
    .meta({ description: '`nextCursor` of the page before' }),
});
export type ApprovalListQuery = z.infer<typeof ApprovalListQuery>;

/** The longest that a request may wait for the answer. */
const MAX_WAIT_SECONDS = 60;

export const ApprovalQuery = z.object({
  wait: z.coerce
    .number()
    .min(0)
    .max(MAX_WAIT_SECONDS)
    .optional()
    .meta({ description: 'Seconds to wait for the answer before responding' }),
});
