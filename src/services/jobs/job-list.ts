// The jobs of a team as a list, and what was asked of each.
import { ServiceError } from '../../contract/errors.ts';
import type { JobListQuery, JobPage, JobRequest, ListedJob } from '../../contract/job-list-api.ts';
import type { Conversation } from '../../contract/conversation-api.ts';
import { readConversation } from '../../domain/prompt/conversation.ts';
import type { Identity } from '../../domain/access/identity.ts';
import { firstIdAt } from '../../platform/ids.ts';
import { findJobRequest, listJobs } from '../../store/jobs/job-list.ts';
import type { ListedJobRow } from '../../store/jobs/job-list.ts';
import { readTexts } from '../../store/jobs/archived-texts.ts';
import type { TextStore } from '../../store/jobs/archived-texts.ts';
import type { Db } from '../../store/postgres/db.ts';
import { fromJsonText } from '../../store/postgres/json-text.ts';
import { pageOf } from '../page.ts';
import type { JobService } from './jobs.ts';

export interface JobListService {
  list(identity: Identity, query: JobListQuery): Promise<JobPage>;
  request(identity: Identity, jobId: string): Promise<JobRequest>;
}

/** Before and after everything that an id can be. */
const [FIRST, END] = ['job_', 'job_~'];

const later = (a: string, b: string) => (a > b ? a : b);
const earlier = (a: string, b: string) => (a < b ? a : b);

function listedView({
  waitReason,
  waitUntil,
  waitDetail,
  apiKeyId,
  apiKeyName,
  ...job
}: ListedJobRow): ListedJob {
  const { id, tokensInput, tokensOutput, unpricedCalls, error, ...rest } = job;
  return {
    ...rest,
    jobId: id,
    apiKey: apiKeyId === null ? null : { id: apiKeyId, name: apiKeyName },
    queuedAt: job.queuedAt.toISOString(),
    startedAt: job.startedAt?.toISOString() ?? null,
    endedAt: job.endedAt?.toISOString() ?? null,
    tokensUsed: { input: tokensInput, output: tokensOutput },
    // A sum that leaves some calls out must not look like the price of the job.
    costUsd: unpricedCalls > 0 ? null : job.costUsd,
    ...(unpricedCalls > 0 ? { unpricedCalls } : {}),
    error: error === null ? null : fromJsonText(error),
    ...(waitReason === null
      ? {}
      : {
          waiting: {
            reason: waitReason,
            until: waitUntil?.toISOString() ?? null,
            detail: waitDetail === null ? null : fromJsonText(waitDetail),
          },
        }),
  };
}

const copyOf = ({ messages, tools }: Conversation) => ({
  messages: [...messages],
  tools: [...tools],
});

export function createJobListService({
  db,
  jobs,
  texts,
}: {
  db: Db;
  jobs: JobService;
  texts: TextStore | undefined;
}): JobListService {
  return {
    async list(identity, { limit, before, since, id = FIRST, ...filter }) {
      const from = since === undefined ? id : later(id, firstIdAt('job', new Date(since)));
      const below = earlier(before ?? END, `${id}~`);
      const { rows, lookedDownTo } = await listJobs(db, identity.teamId, {
        ...filter,
        limit: limit + 1,
        from,
        below,
      });
      const page = pageOf(rows, limit, listedView);
      if (lookedDownTo === undefined || page.hasMore) return { ...page, limit };
      return { ...page, nextCursor: lookedDownTo, hasMore: true, limit };
    },
    async request(identity, jobId) {
      const { id, streamId, model } = await jobs.findRow(identity, jobId);
      const row = await findJobRequest(db, id);
      if (row === undefined) throw new ServiceError('NOT_FOUND', 'There is no job with this id.');
      const { textsKey, prompt: _p, promptParts: _s, conversation: _c, ...rest } = row;
      const asked = textsKey === null ? row : await readTexts(texts, textsKey);
      const { promptParts, conversation = null } = asked;
      const prompt = fromJsonText(asked.prompt);
      return {
        jobId: id,
        streamId,
        model,
        ...rest,
        prompt,
        structuredPrompt:
          promptParts === null ? null : (JSON.parse(promptParts) as JobRequest['structuredPrompt']),
        ...(conversation !== null && copyOf(readConversation(conversation, prompt))),
      };
    },
  };
}
