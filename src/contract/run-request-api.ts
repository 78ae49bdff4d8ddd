// Bodies of /v1/run-requests: runs that are asked for here and made by a runner.
import { z } from 'zod';
import { RunId, StreamId, Timestamp, pageLimit } from './fields.ts';
import { isRequestBranch } from './request-branch.ts';

export const RUN_REQUEST_ID_PATTERN = /^rreq_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
export const RUNNER_ID_PATTERN = /^rnr_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
export const COMMIT_PATTERN = /^[0-9a-f]{40,64}$/;
/** Also part of paths on the runner's machine. */
export const PROJECT_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const MAX_TASK = 64 * 1024;
export const MAX_REQUEST_MANIFEST = 256 * 1024;

export const ProjectName = z
  .string()
  .regex(PROJECT_NAME_PATTERN, 'must be 1 to 64 letters, digits, ".", "_" or "-"')
  .meta({ description: 'Name of the project, as its runners call it', example: 'shop' });

/** Of a project: no way out of it. */
const ProjectPath = z
  .string()
  .min(1)
  .max(500)
  .refine((path) => isProjectPath(path), {
    message: 'must be a path inside the project, with "/" between folders',
  });

function isProjectPath(path: string): boolean {
  if (!path.isWellFormed() || /[\p{Cc}\\]/u.test(path) || path.startsWith('-')) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), {
      message: 'must be well-formed text',
    });

/** What is done with a run that a runner has made before. */
export const RUN_ACTIONS = {
  resume: 'Do what is left of it',
  again: 'Do it once more from the first stream',
  revert: 'Take back what it changed',
  review: 'Look through its changes in the browser, and carry out what is submitted',
  request: 'Open its pull request, or update it',
  fix: 'Do what the comments and failed checks of its pull request ask for',
} as const;
export type RunAction = keyof typeof RUN_ACTIONS;

const words = z.string().regex(/^[A-Za-z0-9._:/@+-]{1,200}$/, 'has characters that no model has');

export const RunRequestWork = z
  .strictObject({
    project: ProjectName,
    manifest: z
      .union([
        z.strictObject({ path: ProjectPath.meta({ description: 'A file of the project' }) }),
        z.strictObject({ text: text(MAX_REQUEST_MANIFEST).meta({ description: 'YAML' }) }),
      ])
      .optional()
      .meta({ description: 'What to run; one of `manifest`, `task` and `run` is needed' }),
    task: text(MAX_TASK).optional().meta({
      description: 'What to do, in words: it is planned with the repository of the runner',
    }),
    run: z
      .strictObject({
        id: RunId,
        action: z.enum(Object.keys(RUN_ACTIONS) as [RunAction, ...RunAction[]]),
      })
      .optional()
      .meta({ description: 'A run that a runner has made, and what to do with it' }),
    planOnly: z.literal(true).optional().meta({
      description: 'Of a task: make its manifest, which is in the outcome, and run nothing',
    }),
    from: StreamId.optional().meta({ description: 'Do this stream again, and what depends on it' }),
    only: z.array(StreamId).min(1).max(100).optional().meta({ description: 'These streams alone' }),
    model: words.optional().meta({ description: 'For streams that name none' }),
    agent: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,63}$/, 'must be the name of an agent')
      .optional()
      .meta({ description: 'Who works on streams that name none, as the runner knows it' }),
    maxCostUsd: z.number().positive().max(1_000_000).optional().meta({
      description: 'The run stops before it could cost more',
    }),
    inPlace: z.boolean().default(false).meta({
      description:
        "Work in the project's own folder, not on a branch. Only where the owner of the runner has allowed it; such a request never moves to another runner",
    }),
    branch: z
      .string()
      .max(200)
      .refine(isRequestBranch, { message: 'must be like millrace/fix-login' })
      .optional()
      .meta({ description: 'Name of the branch; made from the work if omitted' }),
    openRequest: z
      .boolean()
      .default(false)
      .meta({ description: 'Open a pull request when it is complete' }),
    labels: z
      .array(
        z.string().regex(/^[a-z0-9][a-z0-9._-]{0,49}$/, 'must be lower-case letters and digits'),
      )
      .max(20)
      .default([])
      .meta({ description: 'Only runners that have all of these' }),
    priority: z.number().int().min(-100).max(100).default(0).meta({
      description: 'Higher ones first, among your own',
    }),
  })
  .refine(
    ({ manifest, task, run }) =>
      [manifest, task, run].filter((each) => each !== undefined).length === 1,
    { message: 'needs exactly one of manifest, task and run', path: ['manifest'] },
  )
  .refine(({ inPlace, branch, openRequest }) => !inPlace || !(branch || openRequest), {
    message: 'cannot be used with branch or openRequest',
    path: ['inPlace'],
  })
  .refine(
    ({ planOnly, task, branch, openRequest }) =>
      !planOnly || (task !== undefined && !branch && !openRequest),
    { message: 'is for a task, without branch and openRequest', path: ['planOnly'] },
  )
  .meta({ id: 'RunRequestWork' });
export type RunRequestWork = z.infer<typeof RunRequestWork>;
export type NewRunRequest = z.input<typeof RunRequestWork>;

export const RUN_REQUEST_STATUSES = [
  'queued',
  'running',
  'completed',
  'failed',
  'cancelled',
] as const;
export type RunRequestStatus = (typeof RUN_REQUEST_STATUSES)[number];

/** Why a request ended without its work being done. */
export const REQUEST_FAILURES = {
  failed: 'The run failed',
  paused: 'The run stopped where it was and can be resumed',
  refused: 'The runner may not do it; the text says what would allow it',
  not_found: 'The project has no such manifest, run or commit',
  unusable: 'What was asked for cannot be run as it is',
  lost: 'Its runner stopped too often in the middle of it',
} as const;
export type RequestFailure = keyof typeof REQUEST_FAILURES;

const Outcome = z
  .strictObject({
    failure: z
      .enum(Object.keys(REQUEST_FAILURES) as [RequestFailure, ...RequestFailure[]])
      .optional(),
    /** The end of what the command said. */
    message: z.string().max(8000).default(''),
    /** A command for the owner of the runner. */
    remedy: z.string().max(500).optional(),
    branch: z.string().max(250).optional(),
    commit: z.string().max(64).optional(),
    requestUrl: z.string().max(1000).optional(),
    manifest: z.string().max(MAX_REQUEST_MANIFEST).optional().meta({
      description: 'Of a request that only plans. Lists leave it out',
    }),
  })
  .meta({ id: 'RunRequestOutcome' });
export type RunRequestOutcome = z.infer<typeof Outcome>;

export const REQUEST_ORIGINS = ['person', 'schedule', 'trigger'] as const;
export type RequestOrigin = (typeof REQUEST_ORIGINS)[number];

/** Who has to have write access; asked by the runner, of the forge, before anything starts. */
export const RequestWriter = z.strictObject({
  forge: z.enum(['github', 'gitlab']),
  host: z.string().max(255).optional(),
  repository: z.string().max(300),
  login: z.string().max(255),
});
export type RequestWriter = z.infer<typeof RequestWriter>;

export const RunRequest = z
  .object({
    id: z.string().meta({ example: 'rreq_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    status: z.enum(RUN_REQUEST_STATUSES),
    project: z.string(),
    work: RunRequestWork,
    origin: z.object({ kind: z.enum(REQUEST_ORIGINS), id: z.string().nullable() }),
    requestedBy: z.object({ userId: z.string(), email: z.string(), name: z.string().nullable() }),
    runner: z.object({ id: z.string(), name: z.string() }).nullable(),
    runId: z.string().nullable().meta({ description: 'The latest run that was made for it' }),
    runIds: z.array(z.string()).meta({ description: 'All of them, in their order' }),
    base: z.string().nullable().meta({ description: 'The commit that it began at' }),
    attempts: z.number().int().meta({ description: 'How many runners have taken it' }),
    cancelRequested: z.boolean(),
    waitsFor: z.string().nullable().meta({ description: 'Why it has not started, while it waits' }),
    outcome: Outcome.nullable(),
    createdAt: Timestamp,
    startedAt: Timestamp.nullable(),
    endedAt: Timestamp.nullable(),
  })
  .meta({ id: 'RunRequest' });
export type RunRequest = z.infer<typeof RunRequest>;

export const RunRequestPage = z
  .object({
    items: z.array(RunRequest),
    nextCursor: z.string().nullable(),
    hasMore: z.boolean(),
    limit: z.number().int(),
  })
  .meta({ id: 'RunRequestPage' });
export type RunRequestPage = z.infer<typeof RunRequestPage>;

export const RunRequestQuery = z.object({
  status: z
    .enum([...RUN_REQUEST_STATUSES, 'open'])
    .optional()
    .meta({
      description: 'Only these; `open` are those that have not ended',
    }),
  project: ProjectName.optional().meta({ description: 'Only those of this project' }),
  runId: RunId.optional().meta({
    description: 'Only those that have made this run, or were asked to do something with it',
  }),
  limit: pageLimit('Requests', 50),
  before: z
    .string()
    .regex(RUN_REQUEST_ID_PATTERN, 'must be the nextCursor of an earlier page')
    .optional()
    .meta({ description: '`nextCursor` of the page before' }),
});
export type RunRequestQuery = z.infer<typeof RunRequestQuery>;

export const RunRequestWait = z.object({
  wait: z.coerce.number().min(0).max(60).optional().meta({
    description: 'Seconds to wait for its end before responding',
  }),
});

// What a runner says of a request that it has taken. `fence` is the number it took it with: what comes with an older one
// is refused.

const Fence = z.number().int().min(1).max(2_147_483_647);

export const RequestProgress = z
  .strictObject({
    fence: Fence,
    runId: RunId.optional(),
    base: z.string().regex(COMMIT_PATTERN, 'must be a commit id').optional(),
  })
  .meta({ id: 'RunRequestProgress' });
export type RequestProgress = z.infer<typeof RequestProgress>;

export const RequestEnd = z
  .strictObject({
    fence: Fence,
    status: z.enum(['completed', 'failed', 'cancelled']),
    outcome: Outcome,
  })
  .meta({ id: 'RunRequestEnd' });
export type RequestEnd = z.infer<typeof RequestEnd>;

export const RequestRelease = z.strictObject({ fence: Fence }).meta({ id: 'RunRequestRelease' });

/** An answer that the run has had, by the hash of its question. */
export const ANSWER_KEY_PATTERN = /^[0-9a-f]{64}$/;
export const MAX_ANSWER = 6 * 1024 * 1024;
export const RequestAnswer = z
  .strictObject({ answer: text(MAX_ANSWER).meta({ description: 'As the run has written it' }) })
  .meta({ id: 'RunRequestAnswer' });
