// millrace usage
import type { Command } from 'commander';
import { Option } from 'commander';
import { usageError } from '../../command-error.ts';
import { describe } from '../../command.ts';
import type { Act, CommandOptions } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openClient } from '../../open-client.ts';
import { print } from '../../terminal/output.ts';
import { GROUPS, rowsCsv, showRows } from './usage-rows.ts';
import type { Group } from './usage-rows.ts';
import { showSummary } from './usage-summary.ts';

export function addUsage(program: Command, act: Act): void {
  describe(program.command('usage'), 'show what your team used, its quota and budget', [
    'usage',
    'usage --month 2026-11 --by member',
    'usage --by key --csv',
  ])
    .option('--month <month>', 'a month such as 2026-11 (UTC); this month by default')
    .addOption(new Option('--by <group>', 'what each line is about').choices(GROUPS).default('day'))
    .option('--csv', 'print the table as CSV')
    .action(act(async () => showUsage));
}

function monthOf(options: CommandOptions): string | undefined {
  const { month } = options;
  if (month === undefined) return undefined;
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(String(month))) return String(month);
  throw usageError(`--month "${String(month)}": must be a month such as 2026-11`);
}

async function showUsage(options: CommandOptions): Promise<number> {
  const month = monthOf(options);
  if (options['csv'] && options['json']) throw usageError('Use either --csv or --json');
  const group = options['by'] as Group;
  const client = await openClient(options);
  const usage = await client.usage.history(month === undefined ? {} : { month });
  if (options['csv']) {
    // Lines already end as the format wants it.
    process.stdout.write(rowsCsv(group, usage));
    return EXIT.ok;
  }
  const current = await client.usage.current();
  const ofMonth = current.period === usage.month ? current : undefined;
  if (options['json']) {
    print(JSON.stringify({ ...usage, ...(ofMonth && { current: ofMonth }) }));
    return EXIT.ok;
  }
  showSummary(usage, ofMonth, Date.now());
  showRows(group, usage);
  return EXIT.ok;
}
