// Everything that a page follows, in one stream. The id of each event says how far every topic has come,
// so that a reader that comes back resumes without a gap, on whichever node.
import { ServiceError } from '../../contract/errors.ts';
import type { TeamNews } from '../../contract/live-api.ts';
import { parseTopic } from '../../contract/live-topics.ts';
import type { Topic } from '../../contract/live-topics.ts';
import { isWithinScope } from '../../domain/access/identity.ts';
import type { Identity } from '../../domain/access/identity.ts';
import type { RunKey } from '../../domain/run/run-key.ts';
import type { ExecutionEventService } from '../executions/execution-events.ts';
import type { JobEventService } from '../jobs/job-events.ts';
import type { RunOwners } from '../runs/run-owner.ts';
import { merge } from './merge.ts';
import type { FeedMessage, RunFeeds } from './run-feed.ts';
import type { TeamNewsFeed } from './team-news.ts';

export interface LiveEvent {
  id: string;
  event: string;
  /** JSON. */
  data: string;
}

export interface LiveService {
  follow(
    identity: Identity,
    topics: readonly string[],
    options: { lastEventId: string | undefined; signal: AbortSignal },
  ): AsyncIterable<LiveEvent>;
}

interface TopicMessage extends FeedMessage {
  topic: string;
}

async function* positioned(
  events: AsyncIterable<{ id: string; event: string; data: string }>,
): AsyncGenerator<FeedMessage> {
  for await (const { id, event, data } of events) yield { event, data, position: id };
}

const MAY_YET_BEGIN: ReadonlySet<string> = new Set(['NOT_FOUND', 'FORBIDDEN']);

/** What a key may not see is not announced to it either. */
const KIND_SCOPES = {
  runs: 'history',
  approvals: 'history',
  jobs: 'jobs',
  executions: 'executions',
  requests: 'runs',
} as const;

function kindsFor(identity: Identity): (keyof TeamNews)[] {
  const kinds = Object.keys(KIND_SCOPES) as (keyof typeof KIND_SCOPES)[];
  return kinds.filter((kind) => isWithinScope(identity, KIND_SCOPES[kind]));
}

function refusalOf({ code, message }: ServiceError): string {
  return JSON.stringify({ code, message });
}

export function createLiveService(deps: {
  jobEvents: JobEventService;
  executionEvents: ExecutionEventService;
  runOwners: RunOwners;
  runFeeds: RunFeeds;
  teamNews: TeamNewsFeed;
}): LiveService {
  /**
   * A page may be opened before its run has reported anything: the reader gets a refusal, and the events when they
   * come. It is the same when another team has a run of that id: the caller's own may yet begin.
   */
  async function* followRun(
    identity: Identity,
    runId: string,
    position: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<FeedMessage> {
    let key: RunKey | undefined;
    for (let isRefused = false; key === undefined && !signal.aborted;) {
      try {
        key = await deps.runOwners.find(identity, runId, 'read');
      } catch (error) {
        if (!(error instanceof ServiceError) || !MAY_YET_BEGIN.has(error.code)) throw error;
        if (!isRefused)
          yield { event: 'refused', data: refusalOf(error), position: position ?? '' };
        isRefused = true;
        await deps.runFeeds.news({ teamId: identity.teamId, runId }, signal);
      }
    }
    if (key !== undefined) yield* deps.runFeeds.follow(key, position, signal);
  }

  async function open(
    identity: Identity,
    { kind, id }: Topic,
    lastEventId: string | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<FeedMessage>> {
    switch (kind) {
      case 'team':
        return deps.teamNews.follow(identity.teamId, kindsFor(identity), signal);
      case 'run':
        return followRun(identity, id, lastEventId, signal);
      case 'job':
        return positioned(await deps.jobEvents.follow(identity, id, { lastEventId, signal }));
      case 'execution':
        return positioned(await deps.executionEvents.follow(identity, id, { lastEventId, signal }));
    }
  }

  /** One topic that cannot be followed does not end the others. */
  async function* source(
    identity: Identity,
    topic: Topic,
    position: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<TopicMessage> {
    try {
      for await (const message of await open(identity, topic, position, signal)) {
        yield { ...message, topic: topic.name };
      }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const data = refusalOf(error);
      yield { event: 'refused', data, position: position ?? '', topic: topic.name };
    }
  }

  return {
    async *follow(identity, names, { lastEventId, signal }) {
      const topics = [...new Set(names)].map((name) => parseTopic(name)!);
      const before = new URLSearchParams(lastEventId);
      const positions = new URLSearchParams();
      for (const { name } of topics) {
        const position = before.get(name);
        if (position !== null) positions.set(name, position);
      }
      const sources = topics.map((topic) =>
        source(identity, topic, positions.get(topic.name) ?? undefined, signal),
      );
      for await (const { topic, event, data, position } of merge(sources)) {
        if (position !== '') positions.set(topic, position);
        const body = `{"topic":${JSON.stringify(topic)},"data":${data}}`;
        yield { id: positions.toString(), event, data: body };
      }
    },
  };
}
