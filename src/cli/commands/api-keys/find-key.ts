// The API key that a command is about.
import { commandLine } from '../../command-name.ts';
import { wholeId } from '../../short-ids.ts';
import type { ManagedKeys } from './managed-keys.ts';

export function findKeyId(
  { list, email }: Pick<ManagedKeys, 'list' | 'email'>,
  asked: string,
): Promise<string> {
  const account = email === undefined ? [] : ['--email', email];
  return wholeId(asked, {
    type: 'key',
    noun: 'API key',
    listCommand: commandLine('api-keys', 'list', ...account),
    async find(start) {
      return (await list()).map(({ id }) => id).filter((id) => id.startsWith(start));
    },
  });
}
