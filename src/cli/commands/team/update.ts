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

function settingsOf(options: CommandOptions): TeamSettings {
  const all = {
    defaultModel: settingOf(options, 'defaultModel', () => textOf(options, 'defaultModel')),
    budgetUsd: settingOf(options, 'budget', () => dollarsOf(options, 'budget', '--budget')),
    retentionDays: settingOf(options, 'retentionDays', () =>
      numberOf(options, 'retentionDays', '--retention-days'),
    ),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export async function updateTeam(options: CommandOptions): Promise<number> {
  const name = textOf(options, 'name');
  const settings = settingsOf(options);
  if (name === undefined && Object.keys(settings).length === 0) {
    throw usageError(
      'Nothing to change.',
      'Pass --name, --default-model, --budget or --retention-days.',
    );
  }
  const { client, team } = await openTeam(options);
  const changed = await client.teams.update(team.id, {
    ...(name === undefined ? {} : { name }),
    settings,
  });
  const values = Object.entries(changed.settings).map(
    ([key, value]) => `  ${key}  ${plain(String(value))}`,
  );
  return showOutcome(options, {
    document: changed,
    text: [`Updated ${plain(changed.name)} (${changed.slug}).`, ...values].join('\n'),
  });
}
