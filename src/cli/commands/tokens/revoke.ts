// millrace tokens revoke
import type { Command } from 'commander';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { print } from '../../terminal/output.ts';
import { TOKEN_ID, findTokenId } from './find-token.ts';

export function addTokensRevoke(tokens: Command, act: Act): void {
  describe(tokens.command('revoke'), 'revoke an API key, on every server within seconds', [
    'tokens revoke key_01...',
  ])
    .argument('<id>', TOKEN_ID)
    .action(act(async () => revokeToken));
}

async function revokeToken(options: CommandOptions, args: string[]): Promise<number> {
  const client = await openClient(options);
  const id = await findTokenId(client, args[0] ?? '');
  const revoked = await client.apiKeys.revoke(id);
  print(options['json'] ? JSON.stringify(revoked) : `Revoked ${id}.`);
  return EXIT.ok;
}
