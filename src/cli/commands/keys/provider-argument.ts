// The providers that a user can have a key for, as people write their names.
import { Argument, Option } from 'commander';
import type { CommandOptions } from '../../command.ts';

const NAMES: Readonly<Record<string, string>> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
  openrouter: 'OpenRouter',
};

/** Checked by the server, which knows more names than these (`gemini`). */
export function providerArgument(): Argument {
  return new Argument('<provider>', Object.keys(NAMES).join(', '));
}

export function providerName(provider: string): string {
  return NAMES[provider] ?? provider;
}

export const sharedFlag = () => new Option('--shared', 'the key of the team, for all its members');

export function sharedOwner(options: CommandOptions): { owner?: 'team' } {
  return options['shared'] ? { owner: 'team' } : {};
}
