// What a runner says to the server, and asks of it.
import { createCalls, part } from '../client/calls.ts';
import type { CallOptions, ClientOptions } from '../client/calls.ts';
import type { RequestEnd, RequestProgress } from '../contract/run-request-api.ts';
import type {
  AnnouncedRunner,
  NewRunner,
  PollRunner,
  PolledRunner,
} from '../contract/runner-api.ts';

export interface ServerCalls {
  announce(runner: NewRunner, options?: CallOptions): Promise<AnnouncedRunner>;
  poll(id: string, poll: PollRunner, options?: CallOptions): Promise<PolledRunner>;
  progress(id: string, body: RequestProgress): Promise<unknown>;
  end(id: string, body: RequestEnd): Promise<unknown>;
  release(id: string, fence: number): Promise<unknown>;
}

export function createServerCalls(
  url: string,
  apiKey: string,
  options: ClientOptions = {},
): ServerCalls {
  const { send } = createCalls(url, apiKey, options);
  // A poll is asked again by the runner itself, with what it has under way by then.
  const once = createCalls(url, apiKey, { ...options, maxRetries: 0 });
  const at = (id: string, what: string) => `/v1/run-requests/${part(id)}/${what}`;
  return {
    announce: (runner, call) => send('POST', '/v1/runners', call, runner),
    poll: (id, poll, call) => once.send('POST', `/v1/runners/${part(id)}/poll`, call, poll),
    progress: (id, body) => send('PUT', at(id, 'progress'), {}, body),
    end: (id, body) => send('PUT', at(id, 'end'), {}, body),
    release: (id, fence) => send('PUT', at(id, 'release'), {}, { fence }),
  };
}
