import { TIERS } from '../../src/domain/job/tiers.ts';
import { availableParallelism } from 'node:os';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLoopback, loadConfig, defaultProcesses } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { LEAST_STANDARD_MS } from '../../src/domain/job/flex-time.ts';
import { APPROVAL_MAIL_TIMES } from '../../src/domain/approval/approval-mail.ts';
import { WEBHOOK_TIMES } from '../../src/domain/webhook/webhook-retry.ts';
import { verifies } from '../support/verifies.ts';

function problemsOf(...args: Parameters<typeof loadConfig>): readonly string[] {
  try {
    loadConfig(...args);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('settings', () => {
  it('have defaults that need no environment', () => {
    verifies('config.listen');
    expect(loadConfig({})).toEqual({
      host: '127.0.0.1',
      port: 4747,
      corsOrigins: undefined,
      healthPort: undefined,
      dataDir: join(homedir(), '.local', 'share', 'millrace'),
      role: 'all',
      databaseUrl: undefined,
      databaseDirectUrl: undefined,
      databasePrepare: 'auto',
      databaseSignals: 'auto',
      databaseLiveness: 'auto',
      databaseSilenceSeconds: 8,
      databasePoolSize: 8,
      processes: defaultProcesses(availableParallelism()),
      slots: 256,
      processingSeconds: 600,
      runnerLeaseSeconds: 30,
      drainSeconds: 30,
      simulator: true,
      oidcName: 'single sign-on',
      oidcLinkByEmail: false,
      tiers: TIERS,
      defaultProvider: undefined,
      defaultTier: 'enterprise',
      masterKey: undefined,
      allowPrivateTargets: false,
      webhookTimes: WEBHOOK_TIMES,
      approvalMailTimes: APPROVAL_MAIL_TIMES,
      leastStandardMs: LEAST_STANDARD_MS,
      pricesFile: undefined,
      baseUrls: {},
      operatorKeys: {},
      shutdownDelaySeconds: 0,
      archiveAfterHours: 24,
      objectStoreLeastKb: 64,
      objectStoreRegion: 'us-east-1',
      traceRatio: 1,
      logLevel: 'info',
    });
  });

  it('are read from the environment, each under its own name', () => {
    verifies('config.prefix', 'config.database-url', 'config.data-dir', 'config.role');
    verifies('limits.tier.setting', 'limits.rate.enterprise');
    const config = loadConfig({
      MILLRACE_HOST: '0.0.0.0',
      MILLRACE_PORT: '0',
      MILLRACE_CORS_ORIGINS: 'https://a.example.com,https://b.example.com',
      MILLRACE_HEALTH_PORT: '9090',
      MILLRACE_DATA_DIR: 'data',
      MILLRACE_ROLE: 'worker',
      DATABASE_URL: 'postgres://a@pooler/x',
      DATABASE_DIRECT_URL: 'postgresql://a@db/x',
      MILLRACE_DATABASE_PREPARE: 'off',
      MILLRACE_DATABASE_SIGNALS: 'poll',
      MILLRACE_DATABASE_LIVENESS: 'lease',
      MILLRACE_DATABASE_SILENCE_SECONDS: '20',
      MILLRACE_DATABASE_POOL_SIZE: '5',
      MILLRACE_SLOTS: '7',
      MILLRACE_PROCESSING_SECONDS: '60',
      MILLRACE_DRAIN_SECONDS: '0',
      MILLRACE_SIMULATOR: 'on',
      MILLRACE_DEFAULT_PROVIDER: 'openai',
      MILLRACE_DEFAULT_TIER: 'trial',
      MILLRACE_MASTER_KEY: 'secret',
      MILLRACE_ALLOW_PRIVATE_TARGETS: 'true',
      MILLRACE_PRICES_FILE: 'prices.json',
      MILLRACE_OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1',
      MILLRACE_GOOGLE_API_KEY: 'operator',
      MILLRACE_LOG_LEVEL: 'silent',
      MILLRACE_PROCESSES: '3',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
    expect(config).toEqual({
      host: '0.0.0.0',
      port: 0,
      corsOrigins: ['https://a.example.com', 'https://b.example.com'],
      healthPort: 9090,
      dataDir: resolve('data'),
      role: 'worker',
      databaseUrl: 'postgres://a@pooler/x',
      databaseDirectUrl: 'postgresql://a@db/x',
      databasePrepare: 'off',
      databaseSignals: 'poll',
      databaseLiveness: 'lease',
      databaseSilenceSeconds: 20,
      databasePoolSize: 5,
      processes: 3,
      slots: 7,
      processingSeconds: 60,
      runnerLeaseSeconds: 30,
      drainSeconds: 0,
      simulator: true,
      oidcName: 'single sign-on',
      oidcLinkByEmail: false,
      tiers: TIERS,
      defaultProvider: 'openai',
      defaultTier: 'trial',
      masterKey: 'secret',
      allowPrivateTargets: true,
      webhookTimes: WEBHOOK_TIMES,
      approvalMailTimes: APPROVAL_MAIL_TIMES,
      leastStandardMs: LEAST_STANDARD_MS,
      pricesFile: 'prices.json',
      baseUrls: { openai: 'http://127.0.0.1:11434/v1' },
      operatorKeys: { google: 'operator' },
      shutdownDelaySeconds: 0,
      archiveAfterHours: 24,
      objectStoreLeastKb: 64,
      objectStoreRegion: 'us-east-1',
      otlpEndpoint: 'http://127.0.0.1:4318',
      traceRatio: 0.25,
      logLevel: 'silent',
    });
  });

  it('are taken from a flag before the environment', () => {
    verifies('config.flags-win');
    const env = { MILLRACE_PORT: '1', MILLRACE_HOST: '10.0.0.1', MILLRACE_ROLE: 'api' };
    const config = loadConfig(env, { port: '2', role: 'worker' });
    expect(config).toMatchObject({ port: 2, host: '10.0.0.1', role: 'worker' });
    // What a flag overrules need not even be valid.
    expect(loadConfig({ MILLRACE_PORT: 'x' }, { port: '3' }).port).toBe(3);
  });

  it('that are empty in the environment count as not set', () => {
    const env = Object.fromEntries(Object.values(SETTINGS).map(({ env: name }) => [name, '']));
    expect(loadConfig(env)).toEqual(loadConfig({}));
  });

  it('are reported all at once when several are wrong, by the name that was used', () => {
    const problems = problemsOf(
      { MILLRACE_PORT: '65536', MILLRACE_ROLE: 'boss', MILLRACE_SLOTS: '0', MILLRACE_HOST: 'x' },
      { port: '-1' },
    );
    expect(problems).toEqual([
      '--port "-1": must be a whole number',
      'MILLRACE_ROLE "boss": must be all, api, or worker',
      'MILLRACE_SLOTS "0": must be at least 1',
    ]);
  });

  it.each(['', ' ', 'abc', '1.5', '0x10', '1e3', '-5', '٣', 'Infinity', '9'.repeat(30)])(
    'that are numbers do not take "%s"',
    (text) => {
      expect(problemsOf({}, { port: text })).toHaveLength(1);
    },
  );

  it('show no password when a database URL is wrong', () => {
    const problems = problemsOf(
      { DATABASE_URL: 'mysql://u:hunter2@h/x', DATABASE_DIRECT_URL: 'u:hunter2@h' },
      {},
    );
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain('hunter2');
    expect(problems.join()).toContain('postgres://');
  });

  it('of mail belong together, and show no password', () => {
    const smtp = 'smtp://u:hunter2@mail.example.com:587';
    const from = 'Millrace <millrace@example.com>';
    const good = { MILLRACE_SMTP_URL: smtp, MILLRACE_MAIL_FROM: from };
    expect(loadConfig(good)).toMatchObject({ smtpUrl: smtp, mailFrom: from });
    expect(problemsOf({ MILLRACE_SMTP_URL: smtp })).toEqual([
      'MILLRACE_SMTP_URL needs MILLRACE_MAIL_FROM',
    ]);
    const wrong = problemsOf({ MILLRACE_SMTP_URL: 'hunter2@mail', MILLRACE_MAIL_FROM: 'nobody' });
    expect(wrong).toHaveLength(2);
    expect(wrong.join()).not.toContain('hunter2');
  });

  it('of single sign-on belong together; the provider is asked over https', () => {
    const good = {
      MILLRACE_OIDC_ISSUER: 'https://login.example.com/realm',
      MILLRACE_OIDC_CLIENT_ID: 'millrace',
      MILLRACE_OIDC_ALLOWED_DOMAINS: 'Example.com, corp.example.com',
    };
    expect(loadConfig(good).oidcAllowedDomains).toEqual(['example.com', 'corp.example.com']);
    expect(problemsOf({ MILLRACE_OIDC_CLIENT_SECRET: 'hunter2' })).toEqual([
      'MILLRACE_OIDC_CLIENT_SECRET needs MILLRACE_OIDC_ISSUER',
    ]);
    const plain = { ...good, MILLRACE_OIDC_ISSUER: 'http://login.example.com' };
    expect(problemsOf(plain)[0]).toContain('must be an https URL');
    expect(problemsOf({ ...good, MILLRACE_OIDC_ISSUER: 'http://127.0.0.1:9' })).toEqual([]);
    expect(problemsOf({ ...good, MILLRACE_OIDC_ALLOWED_DOMAINS: '*' })).toHaveLength(1);
  });

  it('put the data folder where XDG says, when that is an absolute path', () => {
    expect(loadConfig({ XDG_DATA_HOME: '/xdg' }).dataDir).toBe('/xdg/millrace');
    expect(loadConfig({ XDG_DATA_HOME: 'xdg' }).dataDir).toBe(loadConfig({}).dataDir);
  });
});

describe('the simulator', () => {
  it.each(['127.0.0.1', '127.9.9.9', 'localhost', '::1'])('is on by default on %s', (host) => {
    verifies('simulator.default', 'simulator.setting');
    expect(isLoopback(host)).toBe(true);
    expect(loadConfig({ MILLRACE_HOST: host }).simulator).toBe(true);
    expect(loadConfig({ MILLRACE_HOST: host, MILLRACE_SIMULATOR: 'off' }).simulator).toBe(false);
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com', 'localhost.example.com'])(
    'is off by default on %s',
    (host) => {
      verifies('simulator.default', 'simulator.setting');
      expect(loadConfig({ MILLRACE_HOST: host }).simulator).toBe(false);
      expect(loadConfig({ MILLRACE_HOST: host, MILLRACE_SIMULATOR: 'on' }).simulator).toBe(true);
    },
  );
});
