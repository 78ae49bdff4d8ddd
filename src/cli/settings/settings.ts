// From a command's options to the settings they stand for.
import { loadConfig } from '../../config/config.ts';
import type { Config } from '../../config/config.ts';
import type { SettingName } from '../../config/settings.ts';
import type { CommandOptions } from '../command.ts';

const FLAGS: readonly SettingName[] = [
  'host',
  'port',
  'dataDir',
  'role',
  'processes',
  'databaseUrl',
];

export function configOf(options: CommandOptions): Config {
  const flags: Partial<Record<SettingName, string>> = {};
  for (const name of FLAGS) {
    const value = options[name];
    if (typeof value === 'string') flags[name] = value;
  }
  return loadConfig(process.env, flags);
}
