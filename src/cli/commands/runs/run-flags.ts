// What `millrace run` was asked for.
import { matchStream } from '../../../orchestrator/index.ts';
import type { WriteMode, Selection } from '../../../orchestrator/index.ts';
import type { Reasoning, ServiceTier } from '../../../contract/fields.ts';
import { ConfigError } from '../../../config/config-error.ts';
import type { Manifest } from '../../../manifest/model.ts';
import type { CommandOptions } from '../../command.ts';
import { CommandError } from '../../command-error.ts';
import { commandLine } from '../../command-name.ts';
import type { ClientSettings } from '../../settings/client-settings.ts';
import { mayAsk } from '../../settings/global-flags.ts';
import { gitFlagOf } from './git-flag.ts';
import { reviewsInBrowser } from './review-in-flag.ts';
import type { GitFlag } from './git-flag.ts';
import { dollarsOf, durationOf, numberOf, reasoningOf, serviceTierOf } from '../../flag-values.ts';

export interface RunFlags {
  concurrency: number;
  /** The most at a time of single providers. */
  laneLimits: ReadonlyMap<string, number>;
  model: string | undefined;
  agent: string | undefined;
  reasoning: Reasoning | undefined;
  serviceTier: ServiceTier | undefined;
  maxCostUsd: number | undefined;
  maxAttempts: number | undefined;
  timeoutMs: number | undefined;
  isWarm: boolean;
  /** Answers to the same question are used again. */
  usesCache: boolean;
  /** The repository's instructions are part of every prompt. */
  instructions: boolean;
  rechecks: boolean;
  verifyConcurrency: number;
  isDetached: boolean;
  isDry: boolean;
  git: GitFlag | undefined;
  signsOff: boolean;
  /** Copies of agents outlive the run. */
  keepsCopies: boolean;
  /** The server gets nothing of it but its jobs and its end. */
  isPrivate: boolean;
}

/** Timers of Node.js take no more than this. */
const LONGEST_TIMEOUT_MS = 24 * 24 * 3_600_000;

function positive(options: CommandOptions, name: string, flag: string): number | undefined {
  const value = numberOf(options, name, flag);
  if (value === 0) throw new ConfigError([`${flag} "0": must be at least 1`]);
  return value;
}

/** `openai=4,anthropic=8` */
function limits(text: string | boolean | undefined): Map<string, number> {
  const found = new Map<string, number>();
  for (const part of typeof text === 'string' ? text.split(',') : []) {
    const [, provider, count] = /^\s*([a-z]+)=([1-9]\d{0,4})\s*$/.exec(part) ?? [];
    if (provider === undefined) {
      throw new ConfigError([`--provider-concurrency "${part}": write it as openai=4`]);
    }
    found.set(provider, Number(count));
  }
  return found;
}

export function runFlagsOf(options: CommandOptions): RunFlags {
  return {
    concurrency: positive(options, 'concurrency', '--concurrency') ?? 8,
    laneLimits: limits(options['providerConcurrency']),
    model: typeof options['model'] === 'string' ? options['model'] : undefined,
    agent: typeof options['agent'] === 'string' ? options['agent'] : undefined,
    reasoning: reasoningOf(options),
    serviceTier: serviceTierOf(options),
    maxCostUsd: dollarsOf(options, 'maxCost', '--max-cost'),
    maxAttempts: positive(options, 'maxAttempts', '--max-attempts'),
    timeoutMs: durationOf(options, 'timeout', '--timeout', { maxMs: LONGEST_TIMEOUT_MS }),
    isWarm: options['warm'] !== false,
    usesCache: options['cache'] !== false,
    instructions: options['instructions'] !== false,
    rechecks: options['recheck'] !== false,
    verifyConcurrency: positive(options, 'verifyConcurrency', '--verify-concurrency') ?? 1,
    isDetached: options['detach'] === true,
    isDry: options['dryRun'] === true,
    git: gitFlagOf(options),
    signsOff: options['signoff'] === true,
    keepsCopies: options['keep'] === true,
    isPrivate: options['private'] === true,
  };
}

const KEPT_FLAGS: readonly (readonly [name: string, flag: string])[] = [
  ['only', '--only'],
  ['from', '--from'],
  ['skip', '--skip'],
  ['concurrency', '--concurrency'],
  ['providerConcurrency', '--provider-concurrency'],
  ['model', '--model'],
  ['agent', '--agent'],
  ['reasoning', '--reasoning'],
  ['serviceTier', '--service-tier'],
  ['maxCost', '--max-cost'],
  ['maxAttempts', '--max-attempts'],
  ['timeout', '--timeout'],
  ['apply', '--apply'],
  ['reviewIn', '--review-in'],
  ['git', '--git'],
  ['verifyConcurrency', '--verify-concurrency'],
];
/** What commander fills in. */
const DEFAULTS: Readonly<Record<string, string>> = { concurrency: '8', verifyConcurrency: '1' };

/** The flags of this call as words, to resume the run with. `maxCost`: instead of the one given. */
export function keptFlags(options: CommandOptions, maxCost?: string): string[] {
  const words = KEPT_FLAGS.flatMap(([name, flag]) => {
    const value = name === 'maxCost' ? (maxCost ?? options[name]) : options[name];
    return value === undefined || value === DEFAULTS[name] ? [] : [flag, String(value)];
  });
  if (options['review'] === true) words.push('--review');
  if (options['warm'] === false) words.push('--no-warm');
  if (options['private'] === true) words.push('--private');
  if (options['recheck'] === false) words.push('--no-recheck');
  if (options['cache'] === false) words.push('--no-cache');
  if (options['instructions'] === false) words.push('--no-instructions');
  if (options['sandboxCommands'] === true) words.push('--sandbox-commands');
  if (options['signoff'] === true) words.push('--signoff');
  if (options['agentsWithoutSandbox'] === true) words.push('--agents-without-sandbox');
  if (options['keep'] === true) words.push('--keep');
  return words;
}

function idsOf(manifest: Manifest, flag: string, text: string | boolean | undefined): string[] {
  if (typeof text !== 'string') return [];
  const ids = text.split(',').flatMap((id) => (id.trim() === '' ? [] : [id.trim()]));
  const known = [...manifest.streams.keys()];
  return ids.map((id) => matchStream(known, id, `${flag} ${id}: there is no stream of that name.`));
}

export function selectionOf(manifest: Manifest, options: CommandOptions): Selection {
  const selection = {
    only: idsOf(manifest, '--only', options['only']),
    from: idsOf(manifest, '--from', options['from']),
    skip: idsOf(manifest, '--skip', options['skip']),
  };
  if (selection.only.length > 0 && selection.from.length > 0) {
    throw new ConfigError(['--only and --from cannot be used together']);
  }
  return selection;
}

/** Nobody said anything: `run` is a clear enough wish to have the work done. */
export function applyModeOf(options: CommandOptions, settings: ClientSettings): WriteMode {
  const { value, from } = settings.apply;
  if (value === 'never' && gitFlagOf(options)?.kind === 'branch') {
    throw new ConfigError([
      `--git branch commits finished work; it cannot be used with "never" (${from})`,
    ]);
  }
  const wantsReview = options['review'] === true || (value === 'ask' && from !== 'default');
  if (options['review'] === true && value === 'never' && from === '--apply') {
    throw new ConfigError(['--review and --apply never cannot be used together']);
  }
  // Asked for there, whatever the settings say of the terminal.
  if (reviewsInBrowser(options)) return 'auto';
  if (!wantsReview) return value === 'never' ? 'never' : 'auto';
  if (mayAsk(options, process.env) && !options['detach']) return 'review';
  const what = options['review'] === true ? '--review' : `"ask" (${from})`;
  throw new CommandError({
    code: 'NO_TERMINAL',
    message: `${what} shows every change and asks: that needs a terminal.`,
    hint: `Use --apply auto, or --apply never and then: ${commandLine('apply')}`,
  });
}
