// millrace team update
import type { Command } from 'commander';
import type { TeamSettings } from '../../../client/index.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { usageError } from '../../command-error.ts';
import { EXIT } from '../../exit-codes.ts';
import { dollarsOf, numberOf, textOf } from '../../flag-values.ts';
import { print } from '../../terminal/output.ts';
import { plain } from '../../terminal/plain-text.ts';
import { openTeam } from './own-team.ts';

export function addTeamUpdate(team: Command, act: Act): void {
  describe(team.command('update'), 'change the name and settings of a team', [
    'team update --name "Platform" --team platform',
    'team update --budget 200 --default-model claude-sonnet-4-5 --team platform',
    'team update --budget none',
  ])
    .option('--name <name>', 'the new name')
    .option('--default-model <model>', 'model for executions that name none, or none')
    .option('--budget <dollars>', 'most that may be spent a month, or none')
    .option('--retention-days <number>', 'how long jobs and runs are kept, or none')
    .action(act(async () => update));
}

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

async function update(options: CommandOptions): Promise<number> {
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
  if (options['json']) print(JSON.stringify(changed));
  else {
    print(`Updated ${plain(changed.name)} (${changed.slug}).`);
    for (const [key, value] of Object.entries(changed.settings)) {
      print(`  ${key}  ${plain(String(value))}`);
    }
  }
  return EXIT.ok;
}
