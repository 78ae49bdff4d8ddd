// millrace team update
import type { TeamSettings } from '../../../client/index.ts';
import type { CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { dollarsOf, numberOf, textOf } from '../../flag-values.ts';
import { showOutcome } from '../../show-outcome.ts';
import { plain } from '../../terminal/plain-text.ts';
import { openTeam } from './own-team.ts';

/** Null puts the setting back. */
function settingOf<T>(options: CommandOptions, name: string, read: () => T): T | null {
  return options[name] === 'none' ? null : read();
}

/** Model ids, with `*` for any characters. */
function patternsOf(options: CommandOptions): string[] | undefined {
  const text = textOf(options, 'allowedModels');
  if (text === undefined) return undefined;
  const patterns = text.split(',').map((pattern) => pattern.trim());
  if (patterns.every((pattern) => pattern !== '')) return patterns;
  throw usageError(
    `--allowed-models "${text}": must be model ids, separated by commas`,
    'Pass for example --allowed-models "claude-*,gpt-*", or none to allow all.',
  );
}

function isOn(options: CommandOptions, name: string): boolean | undefined {
  const choice = textOf(options, name);
  return choice === undefined ? undefined : choice === 'on';
}

function settingsOf(options: CommandOptions): TeamSettings {
  const all = {
    defaultModel: settingOf(options, 'defaultModel', () => textOf(options, 'defaultModel')),
    budgetUsd: settingOf(options, 'budget', () => dollarsOf(options, 'budget', '--budget')),
    retentionDays: settingOf(options, 'retentionDays', () =>
      numberOf(options, 'retentionDays', '--retention-days'),
    ),
    allowedModels: settingOf(options, 'allowedModels', () => patternsOf(options)),
    maxCallCostUsd: settingOf(options, 'maxCallCost', () =>
      dollarsOf(options, 'maxCallCost', '--max-call-cost'),
    ),
    maxRunningRequests: settingOf(options, 'maxRunningRequests', () =>
      numberOf(options, 'maxRunningRequests', '--max-running-requests'),
    ),
    storeModelCalls: isOn(options, 'storeModelCalls'),
    approvalByOther: isOn(options, 'approvalByOther'),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

const shown = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value));

export async function updateTeam(options: CommandOptions): Promise<number> {
  const name = textOf(options, 'name');
  const settings = settingsOf(options);
  if (name === undefined && Object.keys(settings).length === 0) {
    throw usageError(
      'Nothing to change.',
      'Pass one of its flags, such as --name or --budget; --help lists them.',
    );
  }
  const { client, team } = await openTeam(options);
  const changed = await client.teams.update(team.id, {
    ...(name === undefined ? {} : { name }),
    settings,
  });
  const values = Object.entries(changed.settings).map(
    ([key, value]) => `  ${key}  ${plain(shown(value))}`,
  );
  return showOutcome(options, {
    document: changed,
    text: [`Updated ${plain(changed.name)} (${changed.slug}).`, ...values].join('\n'),
  });
}
