// Bodies of /v1/runners and /v1/projects: machines that take run requests, and what they can work on.
import { z } from 'zod';
import { TEAM_ID_PATTERN, Timestamp, plainText } from './fields.ts';
import {
  COMMIT_PATTERN,
  ProjectName,
  RUN_REQUEST_ID_PATTERN,
  RequestWriter,
  RunRequestWork,
} from './run-request-api.ts';

export const MAX_PROJECTS_OF_RUNNER = 200;
const MAX_MANIFESTS = 100;

const line = (max: number) => plainText(max);

const RunnerProject = z
  .strictObject({
    name: ProjectName,
    branch: line(250).nullable().default(null).meta({ description: 'What its folder is on' }),
    head: line(64).nullable().default(null).meta({ description: 'The commit there' }),
    remote: line(1000).nullable().default(null).meta({ description: 'Without credentials' }),
    manifests: z.array(line(500)).max(MAX_MANIFESTS).default([]),
    inPlace: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether its folder may be worked in' }),
    commands: z.enum(['sandbox', 'host']).default('sandbox').meta({
      description: 'Where its commands run, as the owner of the runner has allowed',
    }),
    missing: z
      .array(z.strictObject({ what: line(500), remedy: line(500).nullable().default(null) }))
      .max(20)
      .default([])
      .meta({ description: 'What keeps it from running here, and what would allow it' }),
  })
  .meta({ id: 'RunnerProject' });
export type RunnerProject = z.infer<typeof RunnerProject>;

const facts = {
  name: line(100).meta({ example: 'build-2' }),
  version: line(50),
  platform: line(100).meta({ example: 'linux x64' }),
  concurrency: z.number().int().min(1).max(256),
  labels: z
    .array(z.string().regex(/^[a-z0-9][a-z0-9._-]{0,49}$/))
    .max(20)
    .default([]),
  agents: z.array(line(64)).max(100).default([]).meta({ description: 'Agents that it has' }),
  cores: z.number().int().min(1).max(100_000),
  sandbox: z.boolean().meta({ description: 'Whether a sandbox can be opened there' }),
  projects: z.array(RunnerProject).max(MAX_PROJECTS_OF_RUNNER),
};

export const AnnounceRunner = z
  .strictObject({
    id: z
      .string()
      .max(40)
      .optional()
      .meta({ description: 'As given before; omitted the first time' }),
    ...facts,
  })
  .meta({ id: 'AnnounceRunner' });
export type AnnounceRunner = z.infer<typeof AnnounceRunner>;
export type NewRunner = z.input<typeof AnnounceRunner>;

export const AnnouncedRunner = z
  .object({
    id: z.string().meta({ example: 'rnr_01jcq8z5e0e5v8r3m6k1t2w9xh' }),
    session: z.number().int().meta({ description: 'An older one is refused from now on' }),
    leaseSeconds: z.number().meta({ description: 'How long it may stay silent' }),
    serverVersion: z.string(),
  })
  .meta({ id: 'AnnouncedRunner' });
export type AnnouncedRunner = z.infer<typeof AnnouncedRunner>;

export const PollRunner = z
  .strictObject({
    session: z.number().int().min(1).max(2_147_483_647),
    free: z.number().int().min(0).max(256).meta({ description: 'How many requests it could take' }),
    busy: z.array(ProjectName).max(MAX_PROJECTS_OF_RUNNER).default([]).meta({
      description: 'Projects of which it can take none now',
    }),
    running: z
      .array(z.strictObject({ id: z.string().max(40), fence: z.number().int().min(1) }))
      .max(256)
      .default([]),
    wait: z.number().min(0).max(30).default(0).meta({ description: 'Seconds to wait for news' }),
  })
  .meta({ id: 'PollRunner' });
export type PollRunner = z.infer<typeof PollRunner>;

/** A runner reads it with the same care as the server reads what it is sent: it may not be the server that it was. */
export const TakenRequest = z
  .object({
    id: z.string().regex(RUN_REQUEST_ID_PATTERN),
    fence: z.number().int().min(1),
    token: z
      .string()
      .regex(/^mill_rq_[A-Za-z0-9_-]{43}$/)
      .meta({
        description: 'Acts as the person who asked, for this request alone, until it ends or moves',
      }),
    teamId: z.string().regex(TEAM_ID_PATTERN),
    work: RunRequestWork,
    requestedBy: z.object({ email: z.string(), name: z.string().nullable() }),
    origin: z.string(),
    base: z.string().regex(COMMIT_PATTERN).nullable(),
    runIds: z.array(z.string()),
    writer: RequestWriter.nullable(),
  })
  .meta({ id: 'TakenRequest' });
export type TakenRequest = z.infer<typeof TakenRequest>;

export const PolledRunner = z
  .object({
    start: z.array(TakenRequest),
    cancel: z.array(z.string()).meta({ description: 'Requests that must be stopped' }),
    lost: z.array(z.string()).meta({ description: "Requests that are not this runner's any more" }),
    draining: z.boolean(),
  })
  .meta({ id: 'PolledRunner' });
export type PolledRunner = z.infer<typeof PolledRunner>;

export const RUNNER_STATES = ['connected', 'draining', 'away'] as const;

export const Runner = z
  .object({
    id: z.string(),
    state: z.enum(RUNNER_STATES),
    isDraining: z.boolean().meta({
      description: 'Whether it takes nothing new; also while it is away',
    }),
    ...facts,
    owner: z.object({ userId: z.string(), email: z.string(), name: z.string().nullable() }),
    seenAt: Timestamp,
    createdAt: Timestamp,
    isOutdated: z.boolean().meta({ description: 'Whether its version is not that of the server' }),
    running: z.array(
      z.object({ id: z.string(), project: z.string(), runId: z.string().nullable() }),
    ),
  })
  .meta({ id: 'Runner' });
export type Runner = z.infer<typeof Runner>;

export const RunnerList = z.object({ items: z.array(Runner) }).meta({ id: 'RunnerList' });
export type RunnerList = z.infer<typeof RunnerList>;

export const ChangeRunner = z
  .strictObject({ draining: z.boolean().meta({ description: 'Takes nothing new' }) })
  .meta({ id: 'ChangeRunner' });

export const RemovedRunner = z.object({ removed: z.literal(true), id: z.string() }).meta({
  id: 'RemovedRunner',
});

export const Project = z
  .object({
    name: z.string(),
    runners: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        state: z.enum(RUNNER_STATES),
        ...RunnerProject.omit({ name: true }).shape,
      }),
    ),
    maxRunning: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Requests at once; null: no limit' }),
    queued: z.number().int(),
    running: z.number().int(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Project' });
export type Project = z.infer<typeof Project>;

export const ProjectList = z.object({ items: z.array(Project) }).meta({ id: 'ProjectList' });
export type ProjectList = z.infer<typeof ProjectList>;

export const ChangeProject = z
  .strictObject({ maxRunning: z.number().int().min(1).max(1000).nullable() })
  .meta({ id: 'ChangeProject' });
