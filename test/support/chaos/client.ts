// A client as it should be: repeats a submit whose answer it did not get, under the same key.
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from '../patience.ts';
import { waitUntil } from '../processes.ts';
import type { History, JobView } from './history.ts';

export interface ChaosClient {
  /** Goes on until it is answered; the key is also the stream id, by which jobs can be counted. */
  submit(key: string, body: Record<string, unknown>): Promise<string>;
  /** One look; undefined when there was no answer or the service was not available. */
  look(jobId: string): Promise<JobView | undefined>;
  /** Waits at the server; undefined when there was no answer. */
  wait(jobId: string): Promise<JobView | undefined>;
  /** Looks until the job has ended. */
  finished(jobId: string): Promise<JobView>;
}

export interface ChaosClientOptions {
  /** Where the server answers now; undefined while there is none. */
  url(): string | undefined;
  apiKey: string;
  history: History;
}

interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

const BETWEEN_TRIES_MS = 25;
const GIVE_UP_MS = PATIENCE_MS;

export function createChaosClient(options: ChaosClientOptions): ChaosClient {
  const { history, apiKey } = options;

  async function ask(path: string, init: RequestInit): Promise<Answer | undefined> {
    const base = options.url();
    if (base === undefined) return undefined;
    try {
      const response = await fetch(base + path, { ...init, signal: AbortSignal.timeout(45_000) });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: JSON.parse(text) as Record<string, unknown>,
      };
    } catch {
      history.counts.lost += 1;
      return undefined;
    }
  }

  /** Whether to try again; anything but success and "not now" is against the rules. */
  function isRefused(answer: Answer | undefined, expected: number, what: string): boolean {
    if (answer === undefined) return true;
    if (answer.status === expected) return false;
    const error = answer.body['error'] as { code?: string } | undefined;
    const mayTryAgain =
      answer.status === 503 &&
      error?.code === 'SERVICE_UNAVAILABLE' &&
      Number(answer.headers.get('retry-after')) > 0;
    if (mayTryAgain) history.counts.unavailable += 1;
    else history.violated(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return true;
  }

  async function look(jobId: string, query = ''): Promise<JobView | undefined> {
    const since = history.mark();
    const answer = await ask(`/api/v1/job/${jobId}?view=full${query}`, {
      headers: { 'x-api-key': apiKey },
    });
    if (isRefused(answer, 200, `look at ${jobId}`)) return undefined;
    const view = answer!.body as JobView;
    history.saw(jobId, view, since);
    return view;
  }

  return {
    look: (jobId) => look(jobId),
    wait: (jobId) => look(jobId, '&wait=30'),
    async submit(key, body) {
      const init = {
        method: 'POST',
        headers: {
          'x-api-key': apiKey,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ streamId: key, maxTokens: 200, ...body }),
      };
      for (const until = Date.now() + GIVE_UP_MS; Date.now() < until;) {
        const answer = await ask('/api/v1/execute', init);
        if (!isRefused(answer, 202, `submit ${key}`)) {
          const jobId = String(answer!.body['jobId']);
          if (answer!.headers.has('idempotency-replayed')) history.counts.replayed += 1;
          history.accepted(key, jobId);
          return jobId;
        }
        await delay(BETWEEN_TRIES_MS);
      }
      throw new Error(`The submit with the key ${key} was never answered.`);
    },
    async finished(jobId) {
      return waitUntil(async () => {
        const view = await look(jobId);
        return view?.status === 'completed' || view?.status === 'failed' ? view : undefined;
      }, `the end of ${jobId}`);
    },
  };
}

/** Another one, if the machine stood still for as long as the first ran. Its id, while it runs. */
export async function untilSeenRunning(
  client: ChaosClient,
  name: string,
  body: Record<string, unknown>,
  onSubmit?: (jobId: string) => void,
): Promise<string> {
  for (let n = 0; ; n++) {
    const jobId = await client.submit(`${name}-${n}`, body);
    onSubmit?.(jobId);
    const status = await waitUntil(async () => {
      const seen = (await client.look(jobId))?.status;
      return seen === 'pending' ? undefined : seen;
    }, 'a long job to start');
    if (status === 'running') return jobId;
  }
}
