// millrace triggers: runs that start when something happens elsewhere.
import type { Command } from 'commander';
import { Option } from 'commander';
import type { NewTrigger, Trigger, TriggerChange } from '../../../client/index.ts';
import { TRIGGER_EVENTS } from '../../../contract/trigger-events.ts';
import type { TriggerEventName } from '../../../contract/trigger-events.ts';
import { usageError } from '../../command-error.ts';
import type { CommandOptions } from '../../command.ts';
import { commandLine } from '../../command-name.ts';
import { numberOf, textOf } from '../../flag-values.ts';
import { openClient } from '../../open-client.ts';
import { pageOf, withPageFlags } from '../../page-flags.ts';
import type { Resource } from '../../resource.ts';
import { shortIds } from '../../short-ids.ts';
import { idColumn, showList } from '../../show-list.ts';
import { showOutcome } from '../../show-outcome.ts';
import { plain } from '../../terminal/plain-text.ts';
import { statusColumn } from '../../terminal/print-table.ts';
import { rulesOf, withRuleFlags, withWorkFlags, workOf } from '../start-rules/work-flags.ts';
import { findTriggerDeliveryId, findTriggerId } from './find-trigger.ts';
import { deliveryText, triggerText } from './trigger-text.ts';

const triggerId = (command: Command) =>
  command.argument('<id>', 'the trigger id, or how it begins');

const KINDS = ['url', 'github', 'gitlab'] as const;

const withEventFlags = (command: Command) =>
  command
    .option('--repository <name>', 'events of this repository, such as example/shop')
    .option('--on <events>', `separated by commas: ${Object.keys(TRIGGER_EVENTS).join(', ')}`)
    .option('--labels <names>', 'only these labels, separated by commas')
    .option('--commands <words>', 'only comments with /millrace and one of these words')
    .option('--branches <names>', 'only these branches; * stands for any characters')
    .option('--paths <names>', 'only pushes that change one of these')
    .option('--authors <names>', 'only what these people did');

const listOf = (options: CommandOptions, name: string) =>
  textOf(options, name)
    ?.split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

function eventsOf(options: CommandOptions) {
  const repository = textOf(options, 'repository');
  // The server knows the names, and says which one it does not.
  const events = listOf(options, 'on') as TriggerEventName[] | undefined;
  const fields = ['labels', 'commands', 'branches', 'paths', 'authors'] as const;
  const given = fields.flatMap((field) => {
    const values = listOf(options, field);
    return values === undefined ? [] : [[field, values] as const];
  });
  return {
    ...(repository !== undefined && { repository }),
    ...(events !== undefined && { events }),
    ...(given.length > 0 && { filters: Object.fromEntries(given) }),
  };
}

async function listTriggers(options: CommandOptions): Promise<number> {
  const client = await openClient(options);
  const { items } = await client.triggers.list();
  return showList<Trigger>(options, {
    document: { items },
    rows: items,
    columns: [
      idColumn(items),
      statusColumn(({ status }) => status),
      { head: 'KIND', text: ({ kind }) => kind },
      {
        head: 'LAST',
        text: ({ lastDelivery }) => lastDelivery?.request?.status ?? lastDelivery?.result ?? '',
      },
      { head: 'OF', text: ({ repository }) => plain(repository ?? '') },
      { head: 'NAME', text: ({ name }) => plain(name), isFlexible: true },
    ],
    empty: `No triggers. Add one with: ${commandLine('triggers', 'add', '--help')}`,
  });
}

async function addTrigger(options: CommandOptions, [name = '']: string[]): Promise<number> {
  const work = workOf(options);
  if (work === undefined) throw usageError('--project is missing: which project to work on');
  const kind = options['kind'] as (typeof KINDS)[number];
  const client = await openClient(options);
  const body: NewTrigger = { name, kind, work, ...eventsOf(options), ...rulesOf(options) };
  const trigger = await client.triggers.create(body);
  return showOutcome(options, {
    document: trigger,
    text: `${trigger.id} ${plain(trigger.url)}\n${trigger.secret}`,
    notes: [
      kind === 'url'
        ? 'Save this token: callers send it as "Authorization: Bearer", or as the last part of the URL. It is not shown again.'
        : 'Save this secret: enter it with the URL as a webhook of the repository. It is not shown again.',
    ],
  });
}

async function showTrigger(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const client = await openClient(options);
  const trigger = await client.triggers.get(await findTriggerId(client, asked));
  return showOutcome(options, { document: trigger, text: triggerText(trigger) });
}

async function change(
  options: CommandOptions,
  asked: string,
  body: TriggerChange,
): Promise<number> {
  const client = await openClient(options);
  const trigger = await client.triggers.update(await findTriggerId(client, asked), body);
  return showOutcome(options, { document: trigger, text: triggerText(trigger) });
}

async function setTrigger(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const name = textOf(options, 'name');
  const work = workOf(options);
  const body = {
    ...(name !== undefined && { name }),
    ...(work !== undefined && { work }),
    ...eventsOf(options),
    ...rulesOf(options),
  };
  if (Object.keys(body).length === 0) throw usageError('nothing to change; see --help');
  return change(options, asked, body);
}

async function rotateTrigger(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const hours = numberOf(options, 'grace', '--grace');
  const client = await openClient(options);
  const id = await findTriggerId(client, asked);
  const body = hours === undefined ? {} : { gracePeriodHours: hours };
  const rotated = await client.triggers.rotate(id, body);
  return showOutcome(options, {
    document: rotated,
    text: rotated.secret,
    notes: [
      `Save it; it is not shown again. The secret of before ends at ${rotated.oldSecretUntil}.`,
    ],
  });
}

async function testTrigger(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const event = textOf(options, 'event') as TriggerEventName | undefined;
  const client = await openClient(options);
  const id = await findTriggerId(client, asked);
  const tested = await client.triggers.test(id, event === undefined ? {} : { event });
  const { work } = tested;
  const text = [
    ...(work.branch === undefined ? [] : [`Branch: ${work.branch}`]),
    ...(work.task ?? JSON.stringify(work.manifest)).split('\n').map(plain),
  ].join('\n');
  return showOutcome(options, { document: tested, text, notes: ['Nothing was started.'] });
}

async function listDeliveries(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const { limit, before } = pageOf(options);
  const client = await openClient(options);
  const id = await findTriggerId(client, asked);
  const page = await client.triggers.deliveries(id, {
    limit,
    ...(before !== undefined && { before: await findTriggerDeliveryId(client, id, before) }),
  });
  const { items, nextCursor } = page;
  const ids = shortIds(items.map((delivery) => delivery.id));
  const lines = items.map((delivery) => deliveryText(delivery, ids.get(delivery.id)));
  return showOutcome(options, {
    document: page,
    ...(lines.length > 0 && { text: lines.join('\n') }),
    notes: [
      ...(lines.length === 0 ? ['Nothing came yet.'] : []),
      ...(nextCursor
        ? [`More: ${commandLine('triggers', 'deliveries', id, '--before', nextCursor)}`]
        : []),
    ],
  });
}

async function replayDelivery(
  options: CommandOptions,
  [asked = '', delivery = '']: string[],
): Promise<number> {
  const client = await openClient(options);
  const id = await findTriggerId(client, asked);
  const deliveryId = await findTriggerDeliveryId(client, id, delivery);
  const answer = await client.triggers.replay(id, deliveryId);
  const { items } = await client.triggers.deliveries(id, { limit: 100 });
  const made = items.find((one) => one.id === answer.deliveryId);
  const text = made === undefined ? answer.result : deliveryText(made);
  return showOutcome(options, { document: answer, text });
}

async function removeTrigger(options: CommandOptions, [asked = '']: string[]): Promise<number> {
  const client = await openClient(options);
  const id = await findTriggerId(client, asked);
  await client.triggers.remove(id);
  return showOutcome(options, { document: { deleted: true, id }, text: `Deleted ${id}.` });
}

export const TRIGGERS: Resource = {
  noun: 'triggers',
  summary: 'run manifests and tasks when something happens elsewhere',
  examples: [
    'triggers list',
    "triggers add Fix --kind github --repository example/shop --on issue_labeled --labels agent --project shop --task 'Fix {{issue.title}}'",
  ],
  actions: [
    {
      name: 'list',
      summary: 'list the triggers of your team',
      examples: ['triggers list'],
      run: listTriggers,
    },
    {
      name: 'show',
      summary: 'show a trigger, its rules and its last delivery',
      examples: ['triggers show trg_01...'],
      input: triggerId,
      run: showTrigger,
    },
    {
      name: 'add',
      summary: 'add a trigger; prints its URL and its secret once',
      examples: [
        "triggers add Fix --kind github --repository example/shop --on comment --commands fix --project shop --task 'Do {{comment.arguments}}' --open",
        'triggers add Deploy --kind url --project shop --manifest deploy.yaml',
      ],
      input: (command) =>
        withRuleFlags(
          withWorkFlags(
            withEventFlags(
              command
                .argument('<name>', 'how it is called')
                .addOption(
                  new Option('--kind <kind>', 'a URL that is called, or webhooks of a forge')
                    .choices(KINDS)
                    .makeOptionMandatory(),
                ),
            ),
          ),
        ),
      run: addTrigger,
    },
    {
      name: 'set',
      summary: 'change the events, the work or the rules of a trigger',
      examples: ['triggers set trg_01... --labels agent,bot'],
      input: (command) =>
        withRuleFlags(
          withWorkFlags(withEventFlags(triggerId(command).option('--name <name>', 'another name'))),
        ),
      run: setTrigger,
    },
    {
      name: 'pause',
      summary: 'start nothing until it is resumed',
      examples: ['triggers pause trg_01...'],
      input: triggerId,
      run: (options, [asked = '']) => change(options, asked, { status: 'paused' }),
    },
    {
      name: 'resume',
      summary: 'resume a paused trigger; you become its owner',
      examples: ['triggers resume trg_01...'],
      input: triggerId,
      run: (options, [asked = '']) => change(options, asked, { status: 'active' }),
    },
    {
      name: 'rotate',
      summary: 'give it a new secret; prints it once',
      examples: ['triggers rotate trg_01... --grace 1'],
      input: (command) =>
        triggerId(command).option(
          '--grace <hours>',
          'how long the secret of before is good, too: 0 to 24',
          '24',
        ),
      run: rotateTrigger,
    },
    {
      name: 'test',
      summary: 'show what an event would ask for; starts nothing',
      examples: ['triggers test trg_01...'],
      input: (command) =>
        triggerId(command).option('--event <name>', 'which event (default: its first)'),
      run: testTrigger,
    },
    {
      name: 'deliveries',
      summary: 'show what came and what was started, newest first',
      examples: ['triggers deliveries trg_01... --limit 5'],
      input: (command) =>
        withPageFlags(triggerId(command), {
          limit: 30,
          before: 'only deliveries older than this one',
        }),
      run: listDeliveries,
    },
    {
      name: 'replay',
      summary: 'treat a delivery as if it came again',
      examples: ['triggers replay trg_01... tdel_01...'],
      input: (command) =>
        triggerId(command).argument('<delivery>', 'the delivery id, or how it begins'),
      run: replayDelivery,
    },
    {
      name: 'rm',
      summary: 'delete a trigger',
      examples: ['triggers rm trg_01...'],
      input: triggerId,
      run: removeTrigger,
    },
  ],
};
