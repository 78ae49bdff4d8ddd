// `--review-in web`: changes are looked through in the browser, by a person who may answer there.
import { Option } from 'commander';
import { ConfigError } from '../../../config/config-error.ts';
import type { CommandOptions } from '../../command.ts';

export const reviewInFlag = (what: string): Option =>
  new Option('--review-in <place>', what).choices(['web']);

export function reviewsInBrowser({ reviewIn, review, apply }: CommandOptions): boolean {
  if (reviewIn === undefined) return false;
  if (review === true) {
    throw new ConfigError(['--review and --review-in cannot be used together']);
  }
  if (apply === 'never') {
    throw new ConfigError(['--review-in and --apply never cannot be used together']);
  }
  return true;
}
