import { beforeAll } from 'vitest';
import { useServer } from '../support/use-server.ts';
import { areInstalled } from './installed.ts';

export interface Endpoint {
  /** Up to and with `/model`. */
  url: string;
  /** Goes where the vendor's key would. */
  credential: string;
  /** Waits until the newest call is over, and says how it ended. */
  newestCall(): Promise<Record<string, unknown>>;
}

/** The model endpoint of a real server, for all tests of a file. */
export function useEndpoint(): () => Endpoint {
  if (!areInstalled) return () => Promise.reject(new Error('not installed')) as never;
  const server = useServer({ simulator: true });
  let credential: string;
  beforeAll(async () => {
    ({ key: credential } = await server().createKey({ scopes: ['models', 'jobs'] }));
  });
  return () => ({
    url: `${server().url}/model`,
    credential,
    async newestCall() {
      const { body } = await server().call('GET', '/api/v1/jobs?limit=1', { key: credential });
      const [{ jobId }] = body['items'] as [{ jobId: string }];
      return server().finished(credential, jobId);
    },
  });
}
