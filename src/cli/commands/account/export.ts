// millrace account export
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Command } from 'commander';
import { MillraceConnectionError } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { textOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import { findTeam } from '../../team-choice.ts';
import { note, print } from '../../terminal/output.ts';

export function addAccountExport(account: Command, act: Act): void {
  describe(
    account.command('export'),
    'download your data, or with --team that of a team, as one archive',
    ['account export', 'account export --team platform --output platform.zip'],
  )
    .option('--output <file>', 'where to write it (default: the name that the server gives)')
    .action(act(async () => exportData));
}

/** The server's own name for it, without any folder that it may name. */
function nameOf(response: Response): string {
  const [, name = ''] =
    /filename="([^"/\\]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  return basename(name) || 'millrace-export.zip';
}

function refuseExisting(file: string): void {
  if (!existsSync(file)) return;
  throw usageError(`${file} already exists.`, 'Name another file with --output.');
}

async function exportData(options: CommandOptions): Promise<number> {
  const { url, team } = readClientSettings(options, process.env, process.cwd());
  const client = await openClient(options);
  const asked = textOf(options, 'output');
  if (asked !== undefined) refuseExisting(asked);
  const response = team
    ? await client.teams.export((await findTeam(client, team.value, team.from)).id)
    : await client.exportAccount();
  const file = asked ?? nameOf(response);
  refuseExisting(file);
  const part = `${file}.part`;
  try {
    const body = Readable.fromWeb(response.body as ReadableStream);
    // Other people's prompts may be in it.
    await pipeline(body, createWriteStream(part, { mode: 0o600 }));
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw new MillraceConnectionError(`The download from ${url.value} broke off.`, error);
  }
  if (options['json']) print(JSON.stringify({ file }));
  else {
    print(file);
    note(`Saved ${team ? `the data of ${team.value}` : 'your data'} to ${file}.`);
  }
  return EXIT.ok;
}
