// A real server for tests: real HTTP on a free port, a database of its own.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startApp } from '../../src/app/app.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { Config } from '../../src/config/config.ts';
import type { Tier } from '../../src/domain/job/tiers.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger, createScrubber } from '../../src/platform/log.ts';
import type { Providers } from '../../src/providers/registry.ts';
import { createApiKeyService } from '../../src/services/accounts/api-keys.ts';
import type { CreatedKey } from '../../src/services/accounts/api-keys.ts';
import type { Db } from '../../src/store/postgres/db.ts';
import { openDb } from '../../src/store/postgres/postgres.ts';
import { POLL_MS } from '../../src/store/postgres/signal-poll.ts';
import { createSignals } from '../../src/store/postgres/signals.ts';
import { createTestDatabase } from './database.ts';
import { PATIENT_MS, modeSettings } from './database-mode.ts';
import { patiently } from './patient-call.ts';

export interface KeyOptions {
  email?: string;
  tier?: Tier;
  scopes?: string[];
  expiresInDays?: number;
}

export interface TestServer {
  url: string;
  /** Of a worker without the API. */
  healthUrl: string | undefined;
  databaseUrl: string;
  db: Db;
  /** Every log line so far, as text. */
  logs(): string;
  createKey(options?: KeyOptions): Promise<CreatedKey>;
  revokeKey(keyId: string): Promise<void>;
  /** The id of the account behind an address. */
  userId(email: string): Promise<string>;
  /** The personal team of the user. */
  teamId(email: string): Promise<string>;
  /** Sends JSON and reads JSON; `key` undefined sends no credential. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Submits a job and returns its id; fails the test unless it was accepted. */
  submit(key: string, body?: Record<string, unknown>): Promise<string>;
  /** Waits for the end of a job and returns its full view. */
  finished(key: string, jobId: string): Promise<Record<string, unknown>>;
  /** Not ready any more, but still answering. */
  beginStop(): void;
  close(): Promise<void>;
}

export interface CallOptions {
  key?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

export const TEST_MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

let emails = 0;

export async function startTestServer(
  overrides: Partial<Config> = {},
  databaseUrl?: string,
  /** Instead of those that the settings name. */
  providers?: Providers,
): Promise<TestServer> {
  const database = databaseUrl === undefined ? await createTestDatabase() : undefined;
  const url = databaseUrl ?? database!.url;
  const lines: string[] = [];
  const scrubber = createScrubber();
  const log = createLogger({ level: 'debug', scrubber, write: (line) => void lines.push(line) });
  const config: Config = {
    ...loadConfig({ DATABASE_URL: url, MILLRACE_PORT: '0', ...modeSettings() }),
    drainSeconds: 0,
    // Not that of the person who runs the tests; nothing is written there.
    dataDir: join(tmpdir(), 'no-data-folder'),
    // Not the keyring of whoever runs the tests.
    masterKey: TEST_MASTER_KEY,
    ...overrides,
  };
  const app = await startApp(config, { log, scrubber, ...(providers && { providers }) });
  const db = openDb({ url, poolSize: 3, silenceMs: PATIENT_MS });
  const signals = createSignals({ originId: newId('sig'), db, onError: () => {} });
  const keys = createApiKeyService({ db, signals, defaultTier: 'enterprise' });
  const base = app.url ?? '';
  // Changes made beside a server that polls reach it when it looks; streams that are open then end.
  const untilHeard = async () => {
    await signals.flush();
    if (config.databaseSignals === 'poll') await delay(POLL_MS + 200);
  };

  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(options.key === undefined ? {} : { 'x-api-key': options.key }),
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    const text = await response.text();
    const isZip = response.headers.get('content-type') === 'application/zip';
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' || isZip ? {} : JSON.parse(text)) as Record<string, unknown>,
    };
  }

  return {
    url: base,
    healthUrl: app.healthUrl,
    databaseUrl: url,
    db,
    call,
    logs: () => lines.join(''),
    async createKey(options = {}) {
      const created = await keys.create({
        email: options.email ?? `user${++emails}@example.com`,
        name: 'test',
        tier: options.tier,
        scopes: options.scopes,
        expiresInDays: options.expiresInDays,
      });
      await untilHeard();
      return created;
    },
    async revokeKey(keyId) {
      await keys.revoke(keyId);
      await signals.flush();
    },
    async userId(email) {
      const { rows } = await db.query<{ id: string }>('select id from users where email = $1', [
        email,
      ]);
      if (rows[0] === undefined) throw new Error(`there is no account for ${email}`);
      return rows[0].id;
    },
    async teamId(email) {
      const { rows } = await db.query<{ id: string }>(
        'select t.id from teams t join users u on u.id = t.personal_user_id where u.email = $1',
        [email],
      );
      if (rows[0] === undefined) throw new Error(`there is no account for ${email}`);
      return rows[0].id;
    },
    async submit(key, body = {}) {
      const answer = await call('POST', '/api/v1/execute', {
        key,
        body: { streamId: 'api', prompt: 'hello', model: 'sim-instant', maxTokens: 200, ...body },
      });
      if (answer.status !== 202) throw new Error(`submit: ${JSON.stringify(answer.body)}`);
      return answer.body['jobId'] as string;
    },
    async finished(key, jobId) {
      for (;;) {
        const path = `/api/v1/job/${jobId}?wait=30&view=full`;
        const { body } = await patiently(() => call('GET', path, { key }));
        if (body['status'] === 'completed' || body['status'] === 'failed') return body;
        if (body['error'] !== undefined) throw new Error(JSON.stringify(body));
      }
    },
    beginStop: () => app.beginStop(),
    async close() {
      await app.close();
      await db.close();
      await database?.drop();
    },
  };
}
