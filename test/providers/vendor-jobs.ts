// Jobs that call scripted vendors: one server whose providers all lead to a vendor on loopback.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { startApp } from '../../src/app/app.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { Config } from '../../src/config/config.ts';
import { createLogger, createScrubber } from '../../src/platform/log.ts';
import { loadPrices } from '../../src/providers/prices.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { createProviders } from '../../src/providers/registry.ts';
import { createVendorHttp } from '../../src/providers/vendors/vendor-http.ts';
import { createVendor } from '../../src/providers/vendors/vendor.ts';
import { modeSettings } from '../support/database-mode.ts';
import { patiently } from '../support/patient-call.ts';
import { startTestServer } from '../support/server.ts';
import type { TestServer } from '../support/server.ts';
import { startVendorServer } from '../support/vendor/index.ts';
import type { Vendor, VendorServer } from '../support/vendor/index.ts';

export const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

/** The base URLs of a scripted server; `openai` with one of its own speaks chat completions. */
export function baseUrls(vendors: VendorServer): Config['baseUrls'] {
  return {
    anthropic: vendors.url('anthropic'),
    openai: vendors.url('compatible'),
    google: vendors.url('google'),
    openrouter: vendors.url('openrouter'),
  };
}

/** How a job names its model so that this vendor gets the call. */
export const MODELS: Readonly<Record<Vendor, string>> = {
  anthropic: 'claude-opus-4-8',
  openai: 'gpt-5.2',
  compatible: 'openai:llama3.1:8b',
  google: 'gemini-2.5-flash',
  openrouter: 'anthropic/claude-opus-4.8',
};

export type View = Record<string, unknown> & {
  status: string;
  errorCode: string | null;
  tokensUsed: { input: number; output: number };
};

export interface VendorJobs {
  server: TestServer;
  vendors: VendorServer;
  /** Submits with a key that no other job has, so that no job shares its pace. */
  submit(vendor: Vendor, prompt: string, more?: JobOptions): Promise<string>;
  run(vendor: Vendor, prompt: string, more?: JobOptions): Promise<View>;
  finished(jobId: string): Promise<View>;
  apiKey: string;
}

export interface JobOptions {
  body?: Record<string, unknown>;
  providerKey?: string;
}

/** OpenAI's own API as the product speaks it to OpenAI, but on loopback. */
function responsesProvider(
  vendors: VendorServer,
  scrub: (text: string) => string,
): { provider: Provider; close(): Promise<void> } {
  const http = createVendorHttp();
  const provider = createVendor({
    endpoint: {
      provider: 'openai',
      baseUrl: vendors.url('openai'),
      custom: false,
      http,
    },
    prices: loadPrices(undefined),
    scrub,
    now: Date.now,
  });
  return { provider, close: () => http.close() };
}

let keys = 0;
export const freshKey = (): string => `vendor-key-${String(++keys).padStart(6, '0')}`;

/** `responses`: openai is OpenAI's own API, run by a worker beside the server. */
export function useVendorJobs(
  overrides: Partial<Config> = {},
  { responses = false } = {},
): () => VendorJobs {
  let jobs: VendorJobs | undefined;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const vendors = await startVendorServer();
    closing.unshift(() => vendors.close());
    const shared = { masterKey: MASTER_KEY, slots: 1024, ...overrides };
    const server = await startTestServer(
      responses ? { ...shared, role: 'api' } : { baseUrls: baseUrls(vendors), ...shared },
    );
    closing.unshift(() => server.close());
    if (responses) closing.unshift(await startWorker(server, vendors, shared));
    const { key: apiKey } = await server.createKey();
    jobs = jobsOf({ server, vendors, apiKey });
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });
  return () => {
    if (jobs === undefined) throw new Error('the server is not up yet');
    return jobs;
  };
}

async function startWorker(
  server: TestServer,
  vendors: VendorServer,
  overrides: Partial<Config>,
): Promise<() => Promise<void>> {
  const scrubber = createScrubber();
  const log = createLogger({ level: 'silent', scrubber, write: () => undefined });
  const { provider, close } = responsesProvider(vendors, scrubber.scrub);
  const others = createProviders({ simulator: false });
  const app = await startApp(
    {
      ...loadConfig({ DATABASE_URL: server.databaseUrl, ...modeSettings() }),
      ...overrides,
      role: 'worker',
      drainSeconds: 0,
    },
    {
      log,
      scrubber,
      providers: { ...others, find: (id) => (id === 'openai' ? provider : others.find(id)) },
    },
  );
  return async () => {
    await app.close();
    await close();
  };
}

function jobsOf(parts: Pick<VendorJobs, 'server' | 'vendors' | 'apiKey'>): VendorJobs {
  const { server, apiKey } = parts;
  const submit: VendorJobs['submit'] = async (vendor, prompt, { body, providerKey } = {}) => {
    const headers = {
      'x-provider-key': providerKey ?? freshKey(),
      'idempotency-key': randomUUID(),
    };
    const job = { streamId: 'api', prompt, model: MODELS[vendor], maxTokens: 200, ...body };
    const answer = await patiently(() =>
      server.call('POST', '/api/v1/execute', { key: apiKey, headers, body: job }),
    );
    if (answer.status !== 202) throw new Error(`submit: ${JSON.stringify(answer.body)}`);
    return answer.body['jobId'] as string;
  };
  const finished = async (jobId: string) => (await server.finished(apiKey, jobId)) as View;
  return {
    ...parts,
    submit,
    finished,
    run: async (vendor, prompt, more) => finished(await submit(vendor, prompt, more)),
  };
}
