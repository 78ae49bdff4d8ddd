// The server's settings: one table serves parsing, `--help`, docs/config.md and its test.
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { z } from 'zod';
import { PUBLIC_PROVIDERS } from './domain/model/model-routing.ts';
import type { PublicProvider } from './domain/model/model-routing.ts';
import { TIER_NAMES } from './domain/job/tiers.ts';
import { WEBHOOK_TIMES } from './domain/webhook/webhook-retry.ts';
import type { WebhookTimes } from './domain/webhook/webhook-retry.ts';

const count = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max));

/** Both ways of saying it are common. */
const onOff = z
  .enum(['on', 'off', 'true', 'false'])
  .transform((text) => (text === 'true' ? 'on' : text === 'false' ? 'off' : text));

export interface Setting {
  env: string;
  flag?: string;
  default: string;
  description: string;
  schema: z.ZodType;
}

const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

const baseUrlOf = (provider: Uppercase<PublicProvider>, note = ''): Setting => ({
  env: `MILLRACE_${provider}_BASE_URL`,
  default: "the provider's own",
  description: `Address of the ${provider.toLowerCase()} API.${note}`,
  schema: httpUrl,
});

const operatorKeyOf = (provider: Uppercase<PublicProvider>): Setting => ({
  env: `MILLRACE_${provider}_API_KEY`,
  default: 'none',
  description: `The operator's own ${provider.toLowerCase()} key, for users who have stored none.`,
  schema: z.string().min(1),
});

const origins = z.string().transform((text, context) => {
  const list = text.split(',').map((one) => one.trim());
  for (const one of list) {
    if (one === '*' || (/^https?:[^*]+$/.test(one) && URL.parse(one)?.origin === one)) continue;
    context.addIssue('must be origins such as https://example.com, separated by commas, or *');
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
      'Address to listen on. Anything but loopback makes the service reachable by others.',
    schema: z.string().min(1),
  },
  port: {
    env: 'MILLRACE_PORT',
    flag: '--port',
    default: '4747',
    description: 'Port to listen on; 0 takes any free one.',
    schema: count(0, 65_535),
  },
  corsOrigins: {
    env: 'MILLRACE_CORS_ORIGINS',
    default: 'none',
    description:
      'Origins of web pages that may call the API from a browser, separated by commas, or `*` for all.',
    schema: origins,
  },
  healthPort: {
    env: 'MILLRACE_HEALTH_PORT',
    default: 'none',
    description:
      'Port on which a worker without the API answers `/healthz`, `/readyz` and `/metrics`; 0 takes any free one.',
    schema: count(0, 65_535),
  },
  dataDir: {
    env: 'MILLRACE_DATA_DIR',
    flag: '--data-dir',
    default: '$XDG_DATA_HOME/millrace, or ~/.local/share/millrace',
    description: 'Folder of the embedded database and of generated secrets.',
    schema: z.string().min(1),
  },
  role: {
    env: 'MILLRACE_ROLE',
    flag: '--role',
    default: 'all',
    description: '`api` answers requests, `worker` runs jobs, `all` does both.',
    schema: z.enum(['all', 'api', 'worker']),
  },
  databaseUrl: {
    env: 'DATABASE_URL',
    flag: '--database-url',
    default: 'none (the embedded PostgreSQL)',
    description: 'Connection string of your own PostgreSQL 14 or newer.',
    schema: z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgres:// or postgresql://'),
  },
  databaseDirectUrl: {
    env: 'DATABASE_DIRECT_URL',
    default: 'DATABASE_URL',
    description:
      'Connection string past a transaction pooler, for notifications and locks. Needed only when DATABASE_URL names a pooler.',
    schema: z.string().regex(/^postgres(ql)?:\/\//, 'must start with postgres:// or postgresql://'),
  },
  databasePrepare: {
    env: 'MILLRACE_DATABASE_PREPARE',
    default: 'on',
    description: '`off` when DATABASE_URL names a pooler that does not carry prepared statements.',
    schema: onOff,
  },
  databasePoolSize: {
    env: 'MILLRACE_DATABASE_POOL_SIZE',
    default: '10',
    description: 'Pooled database connections of this process (four more are held besides).',
    schema: count(2, 100),
  },
  slots: {
    env: 'MILLRACE_SLOTS',
    default: '256',
    description:
      'Jobs that this process runs at the same time. With several accounts an eighth (at least one of two or more) is kept for users who have none running.',
    schema: count(1, 20_000),
  },
  processingSeconds: {
    env: 'MILLRACE_PROCESSING_SECONDS',
    default: '600',
    description: 'How long a model may work on one job, however long its own timeout is.',
    schema: count(1, 3600),
  },
  drainSeconds: {
    env: 'MILLRACE_DRAIN_SECONDS',
    default: '30',
    description: 'How long a stopping worker waits for its running jobs before it hands them back.',
    schema: count(0, 3600),
  },
  simulator: {
    env: 'MILLRACE_SIMULATOR',
    default: 'on when listening on loopback, otherwise off',
    description: 'Whether the built-in simulated models (`sim-*`) may be used: `on` or `off`.',
    schema: onOff,
  },
  defaultProvider: {
    env: 'MILLRACE_DEFAULT_PROVIDER',
    default: 'none',
    description: 'Provider for model ids whose provider cannot be told from their name.',
    schema: z.enum(['anthropic', 'openai', 'google', 'openrouter']),
  },
  defaultModel: {
    env: 'MILLRACE_DEFAULT_MODEL',
    default: 'none (the simulator where it is on)',
    description: 'Model of executions that name none.',
    schema: z.string().min(1).max(200),
  },
  defaultTier: {
    env: 'MILLRACE_DEFAULT_TIER',
    default: 'enterprise',
    description: 'Tier of new accounts.',
    schema: z.enum(TIER_NAMES),
  },
  enterpriseRequestsPerMinute: {
    env: 'MILLRACE_ENTERPRISE_REQUESTS_PER_MINUTE',
    default: '600000',
    description: 'Request rate of enterprise accounts without a rate of their own.',
    schema: count(1, 100_000_000),
  },
  masterKey: {
    env: 'MILLRACE_MASTER_KEY',
    default: 'a file in the data folder, made when it is first needed',
    description:
      'Key that seals stored provider keys: 32 bytes in base64 or hex. Several, separated by commas: the first seals, the others still open. Nodes that share a database need the same.',
    schema: z.string().min(1),
  },
  allowPrivateTargets: {
    env: 'MILLRACE_ALLOW_PRIVATE_TARGETS',
    default: 'off',
    description:
      'Whether webhooks may call private addresses and plain http: `on` or `off`. For development and tests; it lets users reach whatever this machine can reach.',
    schema: onOff,
  },
  pricesFile: {
    env: 'MILLRACE_PRICES_FILE',
    default: 'none',
    description: 'JSON file with prices that are missing from the built-in list or differ from it.',
    schema: z.string().min(1),
  },
  anthropicBaseUrl: baseUrlOf('ANTHROPIC'),
  openaiBaseUrl: baseUrlOf(
    'OPENAI',
    ' With an address of your own (vLLM, Ollama, LM Studio) it speaks chat completions and needs no key.',
  ),
  googleBaseUrl: baseUrlOf('GOOGLE'),
  openrouterBaseUrl: baseUrlOf('OPENROUTER'),
  anthropicApiKey: operatorKeyOf('ANTHROPIC'),
  openaiApiKey: operatorKeyOf('OPENAI'),
  googleApiKey: operatorKeyOf('GOOGLE'),
  openrouterApiKey: operatorKeyOf('OPENROUTER'),
  logLevel: {
    env: 'MILLRACE_LOG_LEVEL',
    default: 'info',
    description: 'Least severe log lines to write.',
    schema: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

export interface Config {
  host: string;
  port: number;
  corsOrigins: readonly string[] | undefined;
  /** For a worker without the API. */
  healthPort: number | undefined;
  dataDir: string;
  role: 'all' | 'api' | 'worker';
  databaseUrl: string | undefined;
  databaseDirectUrl: string | undefined;
  databasePrepare: boolean;
  databasePoolSize: number;
  slots: number;
  processingSeconds: number;
  drainSeconds: number;
  simulator: boolean;
  defaultProvider: string | undefined;
  defaultModel: string | undefined;
  defaultTier: (typeof TIER_NAMES)[number];
  enterpriseRequestsPerMinute: number;
  masterKey: string | undefined;
  allowPrivateTargets: boolean;
  /** No setting: the same for everybody, shortened only where waiting for hours is no use. */
  webhookTimes: WebhookTimes;
  pricesFile: string | undefined;
  baseUrls: Partial<Record<PublicProvider, string>>;
  operatorKeys: Partial<Record<PublicProvider, string>>;
  logLevel: string;
}

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const SECRET_SETTINGS = /^database.*Url$|ApiKey$|^masterKey$/;

function defaultDataDir(env: NodeJS.ProcessEnv): string {
  const xdg = env['XDG_DATA_HOME'];
  const base = xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'share');
  return join(base, 'millrace');
}

function byProvider(
  read: (provider: PublicProvider) => string | undefined,
): Partial<Record<PublicProvider, string>> {
  const found: Partial<Record<PublicProvider, string>> = {};
  for (const provider of PUBLIC_PROVIDERS) {
    const value = read(provider);
    if (value !== undefined) found[provider] = value;
  }
  return found;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
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
    const text = flags[name] ?? (fromEnv === '' ? undefined : fromEnv);
    if (text === undefined) return undefined;
    const parsed = setting.schema.safeParse(text);
    if (parsed.success) return parsed.data;
    const label = flags[name] !== undefined && setting.flag ? setting.flag : setting.env;
    const why = parsed.error.issues.map((issue) => issue.message).join(', ');
    // These values are secrets, or hold one: name the setting, not the value.
    const shown = SECRET_SETTINGS.test(name) ? '' : ` "${text}"`;
    problems.push(`${label}${shown}: ${why}`);
    return undefined;
  };

  const host = (read('host') as string | undefined) ?? SETTINGS.host.default;
  const databaseUrl = read('databaseUrl') as string | undefined;
  const config: Config = {
    host,
    port: (read('port') as number | undefined) ?? Number(SETTINGS.port.default),
    corsOrigins: read('corsOrigins') as string[] | undefined,
    healthPort: read('healthPort') as number | undefined,
    dataDir: resolve((read('dataDir') as string | undefined) ?? defaultDataDir(env)),
    role: (read('role') as Config['role'] | undefined) ?? 'all',
    databaseUrl,
    databaseDirectUrl: (read('databaseDirectUrl') as string | undefined) ?? databaseUrl,
    databasePrepare: read('databasePrepare') !== 'off',
    databasePoolSize: (read('databasePoolSize') as number | undefined) ?? 10,
    slots: (read('slots') as number | undefined) ?? Number(SETTINGS.slots.default),
    processingSeconds:
      (read('processingSeconds') as number | undefined) ??
      Number(SETTINGS.processingSeconds.default),
    drainSeconds:
      (read('drainSeconds') as number | undefined) ?? Number(SETTINGS.drainSeconds.default),
    simulator:
      ((read('simulator') as string | undefined) ?? (isLoopback(host) ? 'on' : 'off')) === 'on',
    defaultProvider: read('defaultProvider') as string | undefined,
    defaultModel: read('defaultModel') as string | undefined,
    defaultTier: (read('defaultTier') as Config['defaultTier'] | undefined) ?? 'enterprise',
    enterpriseRequestsPerMinute:
      (read('enterpriseRequestsPerMinute') as number | undefined) ??
      Number(SETTINGS.enterpriseRequestsPerMinute.default),
    masterKey: read('masterKey') as string | undefined,
    allowPrivateTargets: read('allowPrivateTargets') === 'on',
    webhookTimes: WEBHOOK_TIMES,
    pricesFile: read('pricesFile') as string | undefined,
    baseUrls: byProvider((provider) => read(`${provider}BaseUrl`) as string | undefined),
    operatorKeys: byProvider((provider) => read(`${provider}ApiKey`) as string | undefined),
    logLevel: (read('logLevel') as string | undefined) ?? SETTINGS.logLevel.default,
  };
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}
