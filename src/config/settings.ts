// The server's settings: one table serves parsing, `--help`, docs/config.md and its test.
import { z } from 'zod';
import { TIER_NAMES } from '../domain/job/tiers.ts';
import { PUBLIC_PROVIDERS } from '../domain/model/model-routing.ts';
import type { PublicProvider } from '../domain/model/model-routing.ts';
import { addressList, origins, publicUrl } from './address-values.ts';
import { DATABASE_SETTINGS } from './database-settings.ts';
import { count, httpUrl, onOff } from './setting-values.ts';
import { SIGN_IN_SETTINGS } from './sign-in-settings.ts';
import { STORAGE_SETTINGS } from './storage-settings.ts';
import { STRIPE_SETTINGS } from './stripe-settings.ts';
import { TELEMETRY_SETTINGS } from './telemetry-settings.ts';
import { tiersFile } from './tiers-file.ts';

export interface Setting {
  env: string;
  flag?: string;
  /** Read like a value that was set; a setting without one is undefined unless it is set. */
  default?: string;
  /** For the reader, where there is no default: what holds then. */
  unset?: string;
  description: string;
  schema: z.ZodType;
}

const baseUrlOf = (provider: Uppercase<PublicProvider>, note = '') => ({
  env: `MILLRACE_${provider}_BASE_URL`,
  unset: "the provider's default",
  description: `Base URL of the ${provider.toLowerCase()} API.${note}`,
  schema: httpUrl,
});

const operatorKeyOf = (provider: Uppercase<PublicProvider>) => ({
  env: `MILLRACE_${provider}_API_KEY`,
  unset: 'none',
  description: `Your ${provider.toLowerCase()} key, used for users who have not stored one.`,
  schema: z.string().min(1),
});

export const SETTINGS = {
  host: {
    env: 'MILLRACE_HOST',
    flag: '--host',
    default: '127.0.0.1',
    description:
      'Address to listen on. With any address other than loopback, other machines can reach the service.',
    schema: z.string().min(1),
  },
  port: {
    env: 'MILLRACE_PORT',
    flag: '--port',
    default: '4747',
    description: 'Port to listen on; 0 picks a free port.',
    schema: count(0, 65_535),
  },
  corsOrigins: {
    env: 'MILLRACE_CORS_ORIGINS',
    unset: 'none',
    description: 'Comma-separated origins that may call the API from a browser, or `*` for all.',
    schema: origins,
  },
  publicUrl: {
    env: 'MILLRACE_PUBLIC_URL',
    unset: 'the address it listens on',
    description:
      'Where people reach this server, for example behind a proxy: `https://millrace.example.com`. Set-up, invitation and password links begin with it. With https, session cookies are sent over https only.',
    schema: publicUrl,
  },
  trustedProxies: {
    env: 'MILLRACE_TRUSTED_PROXIES',
    unset: 'none',
    description:
      'Comma-separated addresses or networks of proxies whose `X-Forwarded-For` names the address of the caller. Sign-in attempts are limited by that address.',
    schema: addressList,
  },
  ...SIGN_IN_SETTINGS,
  healthPort: {
    env: 'MILLRACE_HEALTH_PORT',
    unset: 'none',
    description:
      'Port for `/healthz`, `/readyz` and `/metrics` on a worker without the API; 0 picks a free port.',
    schema: count(0, 65_535),
  },
  dataDir: {
    env: 'MILLRACE_DATA_DIR',
    flag: '--data-dir',
    unset: '$XDG_DATA_HOME/millrace, or ~/.local/share/millrace',
    description: 'Folder for the embedded database and generated secrets.',
    schema: z.string().min(1),
  },
  role: {
    env: 'MILLRACE_ROLE',
    flag: '--role',
    default: 'all',
    description: '`api` serves requests, `worker` runs jobs, `all` does both.',
    schema: z.enum(['all', 'api', 'worker']),
  },
  processes: {
    env: 'MILLRACE_PROCESSES',
    flag: '--processes',
    unset: 'one for every two CPU cores, at most 4',
    description:
      'Processes that share the work of `serve`: each answers requests and runs jobs. 1 does everything in one process.',
    schema: count(1, 64),
  },
  ...DATABASE_SETTINGS,
  ...STORAGE_SETTINGS,
  slots: {
    env: 'MILLRACE_SLOTS',
    default: '256',
    description:
      'Jobs this server runs at the same time, shared among its processes. With several accounts, one in eight slots (at least one of two or more) is reserved for users with no running jobs.',
    schema: count(1, 20_000),
  },
  processingSeconds: {
    env: 'MILLRACE_PROCESSING_SECONDS',
    default: '600',
    description: 'Longest time a model may work on one job, regardless of the job timeout.',
    schema: count(1, 3600),
  },
  runnerLeaseSeconds: {
    env: 'MILLRACE_RUNNER_LEASE_SECONDS',
    default: '30',
    description:
      'How long a runner may stay silent before other runners may take over what it has under way.',
    schema: count(2, 3600),
  },
  drainSeconds: {
    env: 'MILLRACE_DRAIN_SECONDS',
    default: '30',
    description:
      'How long a stopping worker waits for running jobs before it returns them to the queue.',
    schema: count(0, 3600),
  },
  shutdownDelaySeconds: {
    env: 'MILLRACE_SHUTDOWN_DELAY_SECONDS',
    default: '0',
    description:
      'How long a stopping server still answers requests while `/readyz` says 503, so that a load balancer can stop sending it any. Longer than the balancer takes to notice.',
    schema: count(0, 600),
  },
  simulator: {
    env: 'MILLRACE_SIMULATOR',
    unset: 'on when listening on loopback, otherwise off',
    description: 'Enables the built-in simulated models (`sim-*`): `on` or `off`.',
    schema: onOff,
  },
  defaultProvider: {
    env: 'MILLRACE_DEFAULT_PROVIDER',
    unset: 'none',
    description: 'Provider for model ids that do not imply one.',
    schema: z.enum(PUBLIC_PROVIDERS),
  },
  defaultModel: {
    env: 'MILLRACE_DEFAULT_MODEL',
    unset: 'none (the simulator, if enabled)',
    description: 'Model for executions that do not specify one.',
    schema: z.string().min(1).max(200),
  },
  defaultTier: {
    env: 'MILLRACE_DEFAULT_TIER',
    default: 'enterprise',
    description: 'Tier of new accounts.',
    schema: z.enum(TIER_NAMES),
  },
  tiers: {
    env: 'MILLRACE_TIERS',
    unset: 'the built-in figures',
    description:
      'JSON file with your own figures for the tiers, such as `{"pro": {"runsPerMonth": 2000}}`. All nodes need the same file.',
    schema: tiersFile,
  },
  masterKey: {
    env: 'MILLRACE_MASTER_KEY',
    unset: 'a file in the data folder, created when first needed',
    description:
      'Key that encrypts stored provider keys: 32 bytes in base64 or hex. Of several comma-separated keys, the first encrypts and all decrypt. All nodes that share a database need the same keys.',
    schema: z.string().min(1),
  },
  allowPrivateTargets: {
    env: 'MILLRACE_ALLOW_PRIVATE_TARGETS',
    default: 'off',
    description:
      'Allows webhooks to private addresses and over plain http: `on` or `off`. For development and tests only: users can then reach everything this machine can reach.',
    schema: onOff,
  },
  pricesFile: {
    env: 'MILLRACE_PRICES_FILE',
    unset: 'none',
    description: 'JSON file with prices that extend or override the built-in price list.',
    schema: z.string().min(1),
  },
  anthropicBaseUrl: baseUrlOf('ANTHROPIC'),
  openaiBaseUrl: baseUrlOf(
    'OPENAI',
    ' With a custom URL (vLLM, Ollama, LM Studio), Millrace uses chat completions and needs no key.',
  ),
  googleBaseUrl: baseUrlOf('GOOGLE'),
  openrouterBaseUrl: baseUrlOf('OPENROUTER'),
  anthropicApiKey: operatorKeyOf('ANTHROPIC'),
  openaiApiKey: operatorKeyOf('OPENAI'),
  googleApiKey: operatorKeyOf('GOOGLE'),
  openrouterApiKey: operatorKeyOf('OPENROUTER'),
  ...STRIPE_SETTINGS,
  ...TELEMETRY_SETTINGS,
  logLevel: {
    env: 'MILLRACE_LOG_LEVEL',
    default: 'info',
    description: 'Minimum level of log lines.',
    schema: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
