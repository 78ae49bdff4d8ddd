// What to do about an error of the server, in commands: the server itself speaks of its routes.
import { commandLine, commandWithout } from './command-name.ts';
import type { CommandOptions } from './command.ts';

export interface Advice {
  /** In place of what the server says, where that is about requests. */
  message?: string;
  hint?: string;
}

export interface FailedCall {
  code: string;
  details: unknown;
  options: CommandOptions;
  /** The words of the command: `exec get`. */
  command: string;
  /** The command used what `login` has stored, not an API key. */
  isSignedIn: boolean;
  /** The provider of the model that was asked for, where it is known. */
  provider: string | undefined;
}

const addKey = (provider = 'PROVIDER') => commandLine('keys', 'add', provider);

/** The command that lists what another one did not find. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  exec: ['exec', 'list'],
  history: ['history'],
  webhooks: ['webhooks', 'list'],
  keys: ['keys', 'list'],
  'api-keys': ['api-keys', 'list'],
};

function resetsAt(details: unknown): string {
  const { resetsAt: at } = (details ?? {}) as { resetsAt?: unknown };
  return typeof at === 'string' ? ` It resets on ${at.slice(0, 10)}.` : '';
}

type Advise = (call: FailedCall) => Advice | undefined | Promise<Advice>;

const ADVICE: Readonly<Record<string, Advise>> = {
  UNAUTHORIZED: ({ isSignedIn }) =>
    isSignedIn
      ? {
          message: `Your sign-in has expired. Run \`${commandLine('login')}\`.`,
        }
      : {
          message: 'The server did not accept your API key.',
          hint: `Set MILLRACE_API_KEY to a valid key. To create one on the machine of the server, unset it and run: ${commandWithout('--url', 'api-keys', 'create')}`,
        },
  FORBIDDEN: ({ isSignedIn }) => ({
    hint: isSignedIn
      ? 'Ask an owner of the team, or the operator of the server.'
      : 'Use a key that is allowed to do this, or ask the operator of the server.',
  }),
  ACCOUNT_SUSPENDED: () => ({ hint: 'Ask the operator of the server.' }),
  NO_PROVIDER_KEY: ({ provider }) => ({
    message:
      provider === undefined
        ? 'The server has no key for the provider of this model.'
        : `The server has no key for ${provider}.`,
    hint: `Add yours with: ${addKey(provider)}`,
  }),
  async UNKNOWN_MODEL({ options: { model } }) {
    // With the list of prices, which takes a while to load.
    const { adviseOnModel, meantText } = await import('./model-advice.ts');
    const nearest = typeof model === 'string' ? adviseOnModel(model, () => false) : undefined;
    const meant = nearest && 'nearest' in nearest ? meantText(nearest.nearest) : '';
    return { hint: `${meant}See the known models with: ${commandLine('models')}` };
  },
  NO_DEFAULT_MODEL: () => ({
    message: 'No model given, and the server has no default.',
    hint: `Pass one with --model. See the known models with: ${commandLine('models')}`,
  }),
  UNKNOWN_PROVIDER: () => undefined,
  PROVIDER_REJECTED_KEY: () => ({ hint: 'Check the key with the provider, then add it again.' }),
  QUOTA_EXCEEDED({ details }) {
    const { budget } = (details ?? {}) as { budget?: unknown };
    if (budget !== undefined) {
      return { hint: `See what was spent with: ${commandLine('usage')}` };
    }
    return { hint: `Wait for the new month, or ask for a higher tier.${resetsAt(details)}` };
  },
  RATE_LIMITED: () => ({ hint: 'Wait a minute, then run the command again.' }),
  PAYLOAD_TOO_LARGE: () => ({ hint: 'Send fewer or smaller files.' }),
  INTERNAL_ERROR: () => ({ hint: "Try again. If it keeps failing, check the server's log." }),
  SERVICE_UNAVAILABLE: () => ({ hint: 'Try again in a few seconds.' }),
  NOT_FOUND({ command }) {
    const list = LISTS[command.split(' ')[0] ?? ''];
    return list && { hint: `List them with: ${commandLine(...list)}` };
  },
};

export async function adviceFor(call: FailedCall): Promise<Advice | undefined> {
  return Object.hasOwn(ADVICE, call.code) ? ADVICE[call.code]!(call) : undefined;
}

/** What to do about a job that failed with this code. */
export function jobHint(errorCode: string | null, provider: string): string | undefined {
  switch (errorCode ?? '') {
    case 'NO_PROVIDER_KEY':
      return `Add a key with: ${addKey(provider)}`;
    case 'PROVIDER_AUTH':
      return provider === 'simulator'
        ? undefined
        : `Check your key with: ${commandLine('keys', 'test', provider)}`;
    case 'TIMEOUT':
      return 'Allow more time with --timeout.';
    default:
      return undefined;
  }
}
