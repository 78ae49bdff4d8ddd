// The server's settings: one table serves parsing, `--help`, docs/config.md and its test.
import { isIP } from 'node:net';
import { availableParallelism, homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { PUBLIC_PROVIDERS } from './domain/model/model-routing.ts';
import type { PublicProvider } from './domain/model/model-routing.ts';
import { STRIPE_SETTINGS, stripeConfig, stripeProblems } from './app/stripe-settings.ts';
import { readTiersFile } from './app/tiers-file.ts';
import { TIERS, TIER_NAMES } from './domain/job/tiers.ts';
import { WEBHOOK_TIMES } from './domain/webhook/webhook-retry.ts';
import { isSecretSetting } from './secret-settings.ts';
import { count, httpUrl, onOff, whyRefused } from './setting-values.ts';
import { SIGN_IN_SETTINGS, missingPartners } from './sign-in-settings.ts';
import { DATABASE_SETTINGS } from './database-settings.ts';
import { STORAGE_SETTINGS, missingStorage } from './storage-settings.ts';
import { TELEMETRY_SETTINGS } from './telemetry-settings.ts';

const publicUrl = z.string().transform((text, context) => {
  const origin = /^https?:\/\//.test(text) ? URL.parse(text)?.origin : undefined;
  if (origin !== undefined && (text === origin || text === `${origin}/`)) return origin;
  context.addIssue('must be an http or https address without a path');
  return z.NEVER;
});

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  );
}

const addressList = z.string().transform((text, context) => {
  const list = text.split(',').map((one) => one.trim());
  if (list.every(isNetwork)) return list;
  context.addIssue('must be comma-separated addresses or networks such as 10.0.0.0/8');
  return z.NEVER;
});

const tiersFile = z.string().transform((path, context) => {
  const read = readTiersFile(path);
  if (read.ok) return read.tiers;
  context.addIssue(read.problem);
  return z.NEVER;
});

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

const origins = z.string().transform((text, context) => {
  const list = text.split(',').map((one) => one.trim());
  for (const one of list) {
    if (one === '*' || (/^https?:[^*]+$/.test(one) && URL.parse(one)?.origin === one)) continue;
    context.addIssue('must be * or comma-separated origins such as https://example.com');
    return z.NEVER;
  }
  return list;
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
      'Comma-separated addresses or networks of proxies whose `X-Forwarded-For` tells the address of the caller. Sign-in attempts are limited by that address.',
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
    schema: z.enum(['anthropic', 'openai', 'google', 'openrouter']),
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
  enterpriseRequestsPerMinute: {
    env: 'MILLRACE_ENTERPRISE_REQUESTS_PER_MINUTE',
    default: '600000',
    description: 'Requests per minute of enterprise accounts without their own limit.',
    schema: count(1, 100_000_000),
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

type ValueOf<S extends Setting> = S extends { default: string }
  ? z.output<S['schema']>
  : z.output<S['schema']> | undefined;

type Values = { -readonly [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]> };

/** The settings as they are set, and what follows from those that are not. */
export type Config = ReturnType<typeof complete>;

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

function defaultDataDir(env: NodeJS.ProcessEnv): string {
  const xdg = env['XDG_DATA_HOME'];
  const base = xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'share');
  return join(base, 'millrace');
}

/** Whether commands find the folder without being given it. */
export function isDefaultDataDir(dataDir: string): boolean {
  return dataDir === resolve(process.env['MILLRACE_DATA_DIR'] || defaultDataDir(process.env));
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

const MOST_PROCESSES_BY_DEFAULT = 4;

/** The database works as hard as the rest: a process for every second core leaves it its share. */
export function defaultProcesses(cores: number): number {
  return Math.max(1, Math.min(Math.floor(cores / 2), MOST_PROCESSES_BY_DEFAULT));
}

function byProvider(values: Values, suffix: 'BaseUrl' | 'ApiKey') {
  const found: Partial<Record<PublicProvider, string>> = {};
  for (const provider of PUBLIC_PROVIDERS) {
    const value = values[`${provider}${suffix}`];
    if (value !== undefined) found[provider] = value;
  }
  return found;
}

type OfProvider = `${PublicProvider}${'BaseUrl' | 'ApiKey'}`;

function isOfProvider(name: string): name is OfProvider {
  return PUBLIC_PROVIDERS.some(
    (provider) => name === `${provider}BaseUrl` || name === `${provider}ApiKey`,
  );
}

function complete(values: Values, env: NodeJS.ProcessEnv) {
  const plain = Object.fromEntries(
    Object.entries(values).filter(([name]) => !isOfProvider(name)),
  ) as Omit<Values, OfProvider>;
  return {
    ...plain,
    dataDir: resolve(values.dataDir ?? defaultDataDir(env)),
    processes: values.processes ?? defaultProcesses(availableParallelism()),
    databaseDirectUrl: values.databaseDirectUrl ?? values.databaseUrl,
    tiers: values.tiers ?? TIERS,
    stripe: stripeConfig(values),
    simulator: values.simulator ?? isLoopback(values.host),
    baseUrls: byProvider(values, 'BaseUrl'),
    operatorKeys: byProvider(values, 'ApiKey'),
    /** No setting: the same for everybody, shortened only where waiting for hours is no use. */
    webhookTimes: WEBHOOK_TIMES,
  };
}

/** Reads every setting, flags before environment, and reports all problems at once. */
export function loadConfig(
  env: NodeJS.ProcessEnv,
  flags: Partial<Record<SettingName, string>> = {},
): Config {
  const problems: string[] = [];
  const read = (name: SettingName): unknown => {
    const setting: Setting = SETTINGS[name];
    const fromEnv = env[setting.env];
    const text = flags[name] ?? (fromEnv === '' ? undefined : fromEnv) ?? setting.default;
    if (text === undefined) return undefined;
    const parsed = setting.schema.safeParse(text);
    if (parsed.success) return parsed.data;
    const label = flags[name] !== undefined && setting.flag ? setting.flag : setting.env;
    const why = parsed.error.issues.map(whyRefused).join(', ');
    const shown = isSecretSetting(name) ? '' : ` "${text}"`;
    problems.push(`${label}${shown}: ${why}`);
    return undefined;
  };
  const names = Object.keys(SETTINGS) as SettingName[];
  const values = Object.fromEntries(names.map((name) => [name, read(name)])) as Values;
  if (problems.length === 0) problems.push(...missingPartners(values));
  if (problems.length === 0) problems.push(...stripeProblems(values));
  if (problems.length === 0) problems.push(...missingStorage(values));
  if (problems.length > 0) throw new ConfigError(problems);
  return complete(values, env);
}
