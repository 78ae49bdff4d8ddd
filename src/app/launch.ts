// How readers of this server's pages call the program.
import { isDefaultDataDir, isLoopback } from '../config.ts';
import type { Config } from '../config.ts';
import { INSTALLED } from '../domain/command/suggested-command.ts';
import type { Launch } from '../domain/command/suggested-command.ts';
import { checkoutLauncher } from '../platform/launcher.ts';

/** Only who sits at the same machine has use for its paths, and may know them. */
export function launchOf(config: Config): Launch {
  if (!isLoopback(config.host)) return INSTALLED;
  const program = checkoutLauncher() ?? INSTALLED.program;
  const isUsual = config.databaseUrl !== undefined || isDefaultDataDir(config.dataDir);
  return { program, flags: isUsual ? [] : ['--data-dir', config.dataDir] };
}
