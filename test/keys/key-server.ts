// A server whose vendors are played by the scripted one, for tests of provider keys.
import { afterAll, beforeAll } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { PUBLIC_PROVIDERS } from '../../src/domain/model/model-routing.ts';
import type { PublicProvider } from '../../src/domain/model/model-routing.ts';
import { startTestServer } from '../support/server.ts';
import type { Answer, TestServer } from '../support/server.ts';
import { startVendorServer } from '../support/vendor/index.ts';
import type { VendorServer } from '../support/vendor/index.ts';

export const MODELS: Record<PublicProvider, string> = {
  anthropic: 'claude-test',
  openai: 'gpt-test',
  google: 'gemini-test',
  openrouter: 'some/model',
};

export function vendorUrls(vendors: VendorServer): Record<PublicProvider, string> {
  const urls = PUBLIC_PROVIDERS.map((provider) => [provider, vendors.url(provider)]);
  return Object.fromEntries(urls) as Record<PublicProvider, string>;
}

/** The settings that make a server of its own process call the scripted vendors. */
export function vendorSettings(vendors: VendorServer): Record<string, string> {
  return Object.fromEntries(
    PUBLIC_PROVIDERS.map((provider) => [
      `MILLRACE_${provider.toUpperCase()}_BASE_URL`,
      vendors.url(provider),
    ]),
  );
}

export interface KeyServer {
  server: TestServer;
  vendors: VendorServer;
  store(key: string, provider: string, raw: unknown, more?: object): Promise<Answer>;
  /** Submits a job for a vendor's model. */
  execute(
    key: string,
    job: { provider: PublicProvider; prompt?: string; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** The job's end, whatever it is. */
  run(key: string, job: Parameters<KeyServer['execute']>[1]): Promise<Record<string, unknown>>;
}

export function useKeyServer(overrides: Partial<Config> = {}): () => KeyServer {
  let context: KeyServer | undefined;
  beforeAll(async () => {
    const vendors = await startVendorServer();
    const server = await startTestServer({ baseUrls: vendorUrls(vendors), ...overrides });
    const execute: KeyServer['execute'] = (key, { provider, prompt = 'hello', headers = {} }) =>
      server.call('POST', '/api/v1/execute', {
        key,
        headers,
        body: { streamId: 'api', prompt, model: MODELS[provider], provider, maxTokens: 50 },
      });
    context = {
      server,
      vendors,
      store: (key, provider, raw, more = {}) =>
        server.call('POST', '/api/v1/keys', {
          key,
          body: { provider, key: raw, tosAccepted: true, ...more },
        }),
      execute,
      async run(key, job) {
        const { status, body } = await execute(key, job);
        if (status !== 202) throw new Error(JSON.stringify(body));
        return server.finished(key, body['jobId'] as string);
      },
    };
  });
  afterAll(async () => {
    await context?.server.close();
    await context?.vendors.close();
  });
  return () => {
    if (context === undefined) throw new Error('the server is not up yet');
    return context;
  };
}

/** The text of the one detail of a refusal. */
export function detailOf(answer: Answer): { path: string; code: string; message: string } {
  const { error } = answer.body as { error: { details: { path: string; code: string }[] } };
  return error.details[0] as { path: string; code: string; message: string };
}
