// How readers of this server's pages call the program.
import { isDefaultDataDir, isLoopback } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { INSTALLED } from '../domain/command/suggested-command.ts';
import type { Launch } from '../domain/command/suggested-command.ts';
import { checkoutLauncher } from '../platform/launcher.ts';

type Reach = Pick<Config, 'host' | 'publicUrl' | 'trustedProxies' | 'databaseUrl' | 'dataDir'>;

/**
 * Only a reader at the same machine has use for its paths, and may know them. A server that listens on loopback
 * may be read from elsewhere by way of a proxy. Undefined for readers elsewhere.
 */
export function localLaunchOf(config: Reach): Launch | undefined {
  const isProxied = config.publicUrl !== undefined || (config.trustedProxies ?? []).length > 0;
  if (!isLoopback(config.host) || isProxied) return undefined;
  const program = checkoutLauncher() ?? INSTALLED.program;
  const isUsual = config.databaseUrl !== undefined || isDefaultDataDir(config.dataDir);
  return { program, flags: isUsual ? [] : ['--data-dir', config.dataDir] };
}
