// millrace schedules: runs at certain times.
import type { Command } from 'commander';
import { Option } from 'commander';
import type { NewSchedule, Schedule, ScheduleChange } from '../../../client/index.ts';
import { usageError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { durationOf, textOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { pageOf } from '../../page-flags.ts';
import type { Resource } from '../../resource.ts';
import { idColumn, showList } from '../../show-list.ts';
import { showOutcome } from '../../show-outcome.ts';
import { localTime } from '../../terminal/local-time.ts';
import { plain } from '../../terminal/plain-text.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import { rulesOf, withRuleFlags, withWorkFlags, workOf } from '../start-rules/work-flags.ts';
import { findScheduleId } from './find-schedule.ts';
import { firingText, scheduleText, timesText } from './schedule-text.ts';

const scheduleId = (command: Command) =>
  command.argument('<id>', 'the schedule id, or how it begins');

const withTimeFlags = (command: Command) =>
  command
    .option('--cron <pattern>', "when: 'minute hour day month weekday', or @daily")
    .option('--time-zone <name>', 'whose clocks the pattern is about (default: UTC)')
    .option('--every <time>', 'or every so often, such as 30m or 6h')
    .addOption(
      new Option('--catch-up <rule>', 'after times that were missed').choices(['none', 'once']),
    );

function timesOf(options: CommandOptions) {
  const cron = textOf(options, 'cron');
  const timeZone = textOf(options, 'timeZone');
  const catchUp = textOf(options, 'catchUp') as 'none' | 'once' | undefined;
  const everyMs = durationOf(options, 'every', '--every', { minMs: 60_000 });
  return {
    ...(cron !== undefined && { cron }),
    ...(timeZone !== undefined && { timeZone }),
    ...(everyMs !== undefined && { everySeconds: Math.round(everyMs / 1000) }),
    ...(catchUp !== undefined && { catchUp }),
  };
}

async function listSchedules(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  const { items } = await client.schedules.list();
  return showList<Schedule>(options, {
    document: { items },
    rows: items,
    columns: [
      idColumn(items),
      statusColumn(({ status }) => status),
      { head: 'TIMES', text: timesText },
      { head: 'NEXT', text: ({ next }) => (next[0] === undefined ? '' : localTime(next[0])) },
      {
        head: 'LAST',
        text: ({ lastFiring }) => lastFiring?.request?.status ?? lastFiring?.result ?? '',
      },
      { head: 'NAME', text: ({ name }) => plain(name), isFlexible: true },
    ],
    empty: `No schedules. Add one with: ${commandLine('schedules', 'add', '--help')}`,
  });
}

async function addSchedule(options: CommandOptions, [name = '']: string[]): Promise<number> {
  const times = timesOf(options);
  const work = workOf(options);
  if (work === undefined) throw usageError('--project is missing: which project to work on');
  if (times.cron === undefined && times.everySeconds === undefined) {
    throw usageError('give one of --cron and --every');
  }
  const client = await openClient(options);
  const body: NewSchedule = { name, work, ...times, ...rulesOf(options) };
  const schedule = await client.schedules.create(body);
  return showOutcome(options, { document: schedule, text: scheduleText(schedule) });
}

async function showSchedule(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const client = await openClient(options);
  const schedule = await client.schedules.get(await findScheduleId(client, asked));
  return showOutcome(options, { document: schedule, text: scheduleText(schedule) });
}

async function change(
  options: CommandOptions,
  asked: string,
  body: ScheduleChange,
): Promise<number> {
  const client = await openClient(options);
  const schedule = await client.schedules.update(await findScheduleId(client, asked), body);
  return showOutcome(options, { document: schedule, text: scheduleText(schedule) });
}

async function setSchedule(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const name = textOf(options, 'name');
  const work = workOf(options);
  const body = {
    ...(name !== undefined && { name }),
    ...(work !== undefined && { work }),
    ...timesOf(options),
    ...rulesOf(options),
  };
  if (Object.keys(body).length === 0) throw usageError('nothing to change; see --help');
  return change(options, asked, body);
}

async function runNow(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const client = await openClient(options);
  const firing = await client.schedules.runNow(await findScheduleId(client, asked));
  return showOutcome(options, { document: firing, text: firingText(firing) });
}

async function listFirings(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const { limit } = pageOf(options);
  const client = await openClient(options);
  const { items } = await client.schedules.firings(await findScheduleId(client, asked), { limit });
  return showOutcome(options, {
    document: { items },
    ...(items.length > 0 && { text: items.map(firingText).join('\n') }),
    notes: items.length === 0 ? ['It was not due yet.'] : [],
  });
}

async function removeSchedule(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const client = await openClient(options);
  const id = await findScheduleId(client, asked);
  await client.schedules.remove(id);
  return showOutcome(options, { document: { deleted: true, id }, text: `Deleted ${id}.` });
}

export const SCHEDULES: Resource = {
  noun: 'schedules',
  summary: 'run manifests and tasks at certain times',
  examples: [
    'schedules list',
    "schedules add Nightly --cron '0 2 * * *' --project shop --manifest nightly.yaml",
  ],
  actions: [
    {
      name: 'list',
      summary: 'list the schedules of your team',
      examples: ['schedules list'],
      run: listSchedules,
    },
    {
      name: 'show',
      summary: 'show a schedule, its rules and its next times',
      examples: ['schedules show sch_01...'],
      input: scheduleId,
      run: showSchedule,
    },
    {
      name: 'add',
      summary: 'add a schedule; its runs act and pay as you',
      examples: [
        "schedules add Nightly --cron '0 2 * * *' --time-zone Europe/Berlin --project shop --manifest nightly.yaml",
        "schedules add Links --every 6h --project docs --task 'Fix dead links' --budget 20 --open",
      ],
      input: (command) =>
        withRuleFlags(withWorkFlags(withTimeFlags(command.argument('<name>', 'how it is called')))),
      run: addSchedule,
    },
    {
      name: 'set',
      summary: 'change the times, the work or the rules of a schedule',
      examples: ['schedules set sch_01... --every 12h', 'schedules set sch_01... --budget none'],
      input: (command) =>
        withRuleFlags(
          withWorkFlags(withTimeFlags(scheduleId(command).option('--name <name>', 'another name'))),
        ),
      run: setSchedule,
    },
    {
      name: 'pause',
      summary: 'start nothing until it is resumed',
      examples: ['schedules pause sch_01...'],
      input: scheduleId,
      run: (options, [asked = '']) => change(options, asked, { status: 'paused' }),
    },
    {
      name: 'resume',
      summary: 'resume a paused schedule; you become its owner',
      examples: ['schedules resume sch_01...'],
      input: scheduleId,
      run: (options, [asked = '']) => change(options, asked, { status: 'active' }),
    },
    {
      name: 'run-now',
      summary: 'ask for its run once, now',
      examples: ['schedules run-now sch_01...'],
      input: scheduleId,
      run: runNow,
    },
    {
      name: 'firings',
      summary: 'show what its times came to, newest first',
      examples: ['schedules firings sch_01... --limit 5'],
      input: (command) =>
        scheduleId(command).option('--limit <number>', 'how many to show, 1 to 100', '30'),
      run: listFirings,
    },
    {
      name: 'rm',
      summary: 'delete a schedule',
      examples: ['schedules rm sch_01...'],
      input: scheduleId,
      run: removeSchedule,
    },
  ],
};
