// A job as a stream of events: its states, its text as it grows, its end. A reader that comes back
// names the last event it saw and resumes from there; one that comes late gets everything from the
// start. Positions in the text make this possible without keeping events: an event's id says which
// writing of the text (`generation`) and how far, and once a job has ended its output, or what had
// come of it, is the text.
import type { Identity } from '../../domain/access/identity.ts';
import type { Db } from '../../store/postgres/db.ts';
import { fromJsonText } from '../../store/postgres/json-text.ts';
import { listText } from '../../store/jobs/streamed-text.ts';
import type { JobRow } from '../../store/jobs/jobs.ts';
import type { TextFeed } from '../../store/jobs/text-feed.ts';
import type { JobService } from './jobs.ts';
import type { JobWatch } from './job-watch.ts';
import { isEnded, plainView } from './job-view.ts';

export interface JobEvent {
  id: string;
  event: 'status' | 'text' | 'done';
  /** JSON. */
  data: string;
}

export interface JobEventService {
  /** Fails like a look at the job would; then yields until the job has ended or `signal` aborts. */
  follow(
    identity: Identity,
    jobId: string,
    options: { lastEventId: string | undefined; signal: AbortSignal },
  ): Promise<AsyncIterable<JobEvent>>;
}

interface Position {
  generation: number;
  offset: number;
}

const RECHECK_MS = 2000;
/** One event of a long text that is sent afterwards. */
const MAX_TEXT_EVENT = 64 * 1024;

function parsePosition(lastEventId: string | undefined): Position {
  const match = /^(\d{1,6}):(\d{1,9})$/.exec(lastEventId ?? '');
  return match
    ? { generation: Number(match[1]), offset: Number(match[2]) }
    : { generation: -1, offset: 0 };
}

export function createJobEventService(deps: {
  db: Db;
  jobs: JobService;
  feed: TextFeed;
  watch: JobWatch;
}): JobEventService {
  /** New text since `position`, which moves along. A new generation starts the text over. */
  async function* newText(job: JobRow, position: Position): AsyncGenerator<JobEvent> {
    for (const piece of await textSince(job, position)) {
      if (piece.generation !== position.generation) {
        position.generation = piece.generation;
        position.offset = 0;
      }
      // Past a gap (text that could not be written) the positions stay those of the output.
      position.offset = Math.max(position.offset, piece.offset);
      for (
        let from = position.offset - piece.offset;
        from < piece.text.length;
        from += MAX_TEXT_EVENT
      ) {
        const text = piece.text.slice(from, from + MAX_TEXT_EVENT);
        const { offset } = position;
        position.offset += text.length;
        const data = JSON.stringify({ text, offset, generation: position.generation });
        yield { id: `${position.generation}:${position.offset}`, event: 'text', data };
      }
    }
  }

  async function textSince(job: JobRow, position: Position) {
    if (isEnded(job)) {
      const kept = job.output ?? job.partialOutput;
      const text = kept === null ? '' : fromJsonText(kept);
      return [{ generation: job.textGeneration, offset: 0, text }];
    }
    const here = deps.feed.current(job.id);
    if (here) return [{ generation: here.generation, offset: 0, text: here.text }];
    return listText(deps.db, job.id, position.generation, position.offset);
  }

  async function* events(
    identity: Identity,
    first: JobRow,
    position: Position,
    signal: AbortSignal,
  ): AsyncGenerator<JobEvent> {
    let changed = Promise.withResolvers<void>();
    const wake = () => changed.resolve();
    let rowChanged = false;
    const look = () => {
      rowChanged = true;
      wake();
    };
    const offs = [deps.watch.watch(first.id, look), deps.feed.follow(first.id, wake)];
    signal.addEventListener('abort', wake, { once: true });
    let lastStatus = '';
    try {
      for (let job = first; !signal.aborted; job = await deps.jobs.find(identity, first.id)) {
        const waiting = await deps.jobs.findWaiting(job);
        const data = JSON.stringify({ status: job.status, attempt: job.attempt, waiting });
        if (data !== lastStatus && !isEnded(job)) {
          lastStatus = data;
          yield {
            id: `${Math.max(0, position.generation)}:${position.offset}`,
            event: 'status',
            data,
          };
        }
        yield* newText(job, position);
        if (isEnded(job)) {
          yield {
            id: `${position.generation}:${position.offset}`,
            event: 'done',
            data: plainView(job),
          };
          return;
        }
        // While the job runs on this node its deltas come from memory: no look at the row for each.
        do {
          const recheck = setTimeout(look, RECHECK_MS);
          await changed.promise;
          clearTimeout(recheck);
          changed = Promise.withResolvers<void>();
          if (deps.feed.current(job.id)) yield* newText(job, position);
        } while (!rowChanged && !signal.aborted);
        rowChanged = false;
      }
    } finally {
      offs.forEach((off) => off());
      signal.removeEventListener('abort', wake);
    }
  }

  return {
    async follow(identity, jobId, { lastEventId, signal }) {
      const job = await deps.jobs.find(identity, jobId);
      return events(identity, job, parsePosition(lastEventId), signal);
    },
  };
}
