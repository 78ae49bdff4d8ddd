// Reads the server's settings: flags before the environment, and what follows from those that are not set.
import { availableParallelism, homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { z } from 'zod';
import { TIERS } from '../domain/job/tiers.ts';
import { PUBLIC_PROVIDERS } from '../domain/model/model-routing.ts';
import type { PublicProvider } from '../domain/model/model-routing.ts';
import { LEAST_STANDARD_MS } from '../domain/job/flex-time.ts';
import { APPROVAL_MAIL_TIMES } from '../domain/approval/approval-mail.ts';
import { WEBHOOK_TIMES } from '../domain/webhook/webhook-retry.ts';
import { ConfigError } from './config-error.ts';
import { isSecretSetting } from './secret-settings.ts';
import { whyRefused } from './setting-values.ts';
import { SETTINGS } from './settings.ts';
import type { Setting, SettingName } from './settings.ts';
import { missingPartners } from './sign-in-settings.ts';
import { missingStorage } from './storage-settings.ts';
import { stripeConfig, stripeProblems } from './stripe-settings.ts';

type ValueOf<S extends Setting> = S extends { default: string }
  ? z.output<S['schema']>
  : z.output<S['schema']> | undefined;

type Values = { -readonly [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]> };

/** The settings as they are set, and what follows from those that are not. */
export type Config = ReturnType<typeof complete>;

function defaultDataDir(env: NodeJS.ProcessEnv): string {
  const xdg = env['XDG_DATA_HOME'];
  const base = xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'share');
  return join(base, 'millrace');
}

/** The folder that commands find without being given it. */
export function dataDirOf(env: NodeJS.ProcessEnv): string {
  return resolve(env['MILLRACE_DATA_DIR'] || defaultDataDir(env));
}

export function isDefaultDataDir(dataDir: string): boolean {
  return dataDir === dataDirOf(process.env);
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
    approvalMailTimes: APPROVAL_MAIL_TIMES,
    /** The same: what a job that asks for flex keeps at least of its time for the standard tier. */
    leastStandardMs: LEAST_STANDARD_MS,
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
