// The argument and the flag of commands about a provider key.
import { Argument, Option } from 'commander';
import { PROVIDER_NAMES, PUBLIC_PROVIDERS } from '../../../domain/model/model-routing.ts';
import type { CommandOptions } from '../../command.ts';

/** Checked by the server, which knows more names than these (`gemini`). */
export function providerArgument(): Argument {
  return new Argument('<provider>', PUBLIC_PROVIDERS.join(', '));
}

export function providerName(provider: string): string {
  return (PROVIDER_NAMES as Partial<Record<string, string>>)[provider] ?? provider;
}

export const sharedFlag = () => new Option('--shared', 'the key of the team, for all its members');

export function sharedOwner(options: CommandOptions): { owner?: 'team' } {
  return options['shared'] ? { owner: 'team' } : {};
}
