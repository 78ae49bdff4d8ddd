// A flag under its former name: it works, and help does not show it.
import { Option } from 'commander';

export function hiddenOption(flags: string): Option {
  return new Option(flags).hideHelp();
}
