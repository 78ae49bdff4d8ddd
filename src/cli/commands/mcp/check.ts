// millrace mcp --check: what the tools would work with, for a person or a CI job.
import type { CommandAction } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { readClientSettings } from '../../settings/client-settings.ts';
import { plain } from '../../terminal/plain-text.ts';
import { print } from '../../terminal/output.ts';
import { findToolServer } from './connection.ts';
import { toolSettingsOf } from './settings.ts';
import { findWorkspace } from './workspace.ts';

export const check: CommandAction = async (options) => {
  const settings = readClientSettings(options, process.env, process.cwd());
  const workspace = await findWorkspace(settings, process.env);
  const { apply } = toolSettingsOf(settings, process.env);
  const server = await findToolServer(options, true);
  // Without a key nothing is up yet: the first call starts a server.
  const me = server.apiKey === '' ? undefined : await server.client.me();
  const found = {
    server: me === undefined ? null : server.url,
    user: me?.user.email ?? null,
    workspace: workspace?.root ?? null,
    apply,
  };
  if (options['json']) {
    print(JSON.stringify(found));
    return EXIT.ok;
  }
  print(`server     ${found.server ?? 'none is running; the first call starts one'}`);
  if (found.user !== null) print(`user       ${plain(found.user)}`);
  const from = workspace === undefined ? '' : ` (${workspace.from})`;
  print(`workspace  ${plain(found.workspace ?? 'not set; files cannot be sent')}${from}`);
  print(`apply      ${apply}`);
  return EXIT.ok;
};
