// `--git`: what becomes of finished streams.
import { Option } from 'commander';
import { ConfigError } from '../../../config/config-error.ts';
import type { CommandOptions } from '../../command.ts';

export type GitFlag = { kind: 'commit' } | { kind: 'branch'; name: string | undefined };

export const gitFlag = (): Option =>
  new Option(
    '--git <mode>',
    'commit: one commit for each finished stream; branch, or branch=NAME: on a branch of its own, beside your files',
  );

export function gitFlagOf({ git }: CommandOptions): GitFlag | undefined {
  if (git === undefined) return undefined;
  if (git === 'commit') return { kind: 'commit' };
  const [, name] = /^branch(?:=(.+))?$/s.exec(String(git)) ?? [];
  if (git === 'branch' || name !== undefined) return { kind: 'branch', name };
  throw new ConfigError([`--git "${String(git)}": write commit, branch or branch=NAME`]);
}
