import { resolve } from 'node:path';
import { dataDirOf } from '../../../config/config.ts';
import type { CommandOptions } from '../../command.ts';

/** The data folder whose facts about models count. */
export function dataDirFor(options: CommandOptions): string {
  const { dataDir } = options;
  return typeof dataDir === 'string' ? resolve(dataDir) : dataDirOf(process.env);
}
