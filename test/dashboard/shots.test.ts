// The pictures of the dashboard: every page in both themes, wide and narrow, with content that real runs
// made. Not part of the suite: `SHOTS=FOLDER npm run shots` takes them, for a person to look at.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { create, fire } from '../schedules/schedules.ts';
import { useServer } from '../support/use-server.ts';
import { githubLabelled, githubPush } from '../triggers/payloads.ts';
import { createTrigger, sendGithub } from '../triggers/triggers.ts';
import { createRunProject, manifestOf } from '../terminal/run-project.ts';
import type { RunProject, StartedRun } from '../terminal/run-project.ts';
import { ownerOf } from './starters.ts';
import { newVisitor } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const FOLDER = process.env['SHOTS'];
const ONLY = process.env['SHOTS_ONLY'];
const LOOKS = [
  { theme: 'light', width: 1440, height: 900 },
  { theme: 'dark', width: 1440, height: 900 },
  { theme: 'light', width: 390, height: 844 },
  { theme: 'dark', width: 390, height: 844 },
] as const;

/** What a larger change looks like: a column for each wave. */
const LONG = [
  ['event-schema', 'money-type', 'outbox-table', 'feature-flags'],
  [
    'invoice-events',
    'payment-events',
    'refund-events',
    'plan-events',
    'tax-events',
    'usage-events',
  ],
  ['ledger', 'projections', 'webhooks', 'emails', 'receipts', 'dunning', 'exports', 'metrics'],
  ['billing-page', 'admin-page', 'api-routes', 'cli', 'reports', 'alerts'],
  ['contract-tests', 'migration', 'load-tests', 'docs'],
  ['clean-up'],
];
const titleOf = (id: string) => id[0]!.toUpperCase() + id.slice(1).replaceAll('-', ' ');

function longManifest(): string {
  const streams = LONG.flatMap((ids, wave) =>
    ids.map((id, at) => ({
      id,
      deps: wave === 0 ? [] : [LONG[wave - 1]![at % LONG[wave - 1]!.length]!],
      directives: `[[sim:delay ${500 + ((at * 337) % 1900)}]]`,
    })),
  );
  return manifestOf(streams, 'sim-fast')
    .replace('feature: Test', 'feature: Move billing to events')
    .replaceAll(/name: About (\S+)/g, (_, id: string) => `name: ${titleOf(id)}`);
}

const SMALL = [
  'Rename the price columns',
  'Retry uploads',
  'Dark mode for receipts',
  'Search by customer',
  'Faster exports',
  'Types for webhooks',
  'Split the settings page',
  'Drop the old importer',
  'Health checks',
];

const FAILING = manifestOf(
  [
    { id: 'schema' },
    {
      id: 'invoices',
      deps: ['schema'],
      verify: ['echo "2 tests failed: totals are rounded twice" >&2; exit 1'],
    },
    { id: 'emails', deps: ['invoices'] },
  ],
  'sim-instant',
)
  .replace('feature: Test', 'feature: Invoices with rounding')
  .replaceAll(/name: About (\S+)/g, (_, id: string) => `name: ${titleOf(id)}`);

async function forkDialog(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Fork' }).click();
  await page.getByRole('combobox', { name: 'Model' }).fill('sim-standard');
}

describe.runIf(FOLDER)('pictures of the dashboard', () => {
  const server = useServer({ defaultModel: 'sim-fast' });
  let visitor: Visitor;
  let project: RunProject;
  let long: StartedRun;
  const ids: Record<string, string> = {};

  async function runId(name: string): Promise<string> {
    const { body } = await server().call('GET', '/api/v1/history?limit=50', { key: visitor.key });
    const items = body['items'] as { id: string; feature: string }[];
    return items.find(({ feature }) => feature === name)!.id;
  }

  beforeAll(async () => {
    mkdirSync(FOLDER!, { recursive: true });
    visitor = await newVisitor(server());
    await server().db.query(
      `update users set name = 'Jane Walker', is_admin = true where id = $1`,
      [visitor.person.userId],
    );
    project = await createRunProject(server());
    project.settings['MILLRACE_API_KEY'] = visitor.key;
    const { key } = visitor;
    await project.write('failing.yaml', FAILING);
    for (const [round, name] of SMALL.entries()) {
      const text = manifestOf([{ id: 'a' }, { id: 'b', deps: ['a'] }]).replace('Test', name);
      await project.write(`small${round}.yaml`, text);
      await project.millrace(['run', `small${round}.yaml`]);
    }
    await project.millrace(['run', 'failing.yaml', '--yes']);
    await project.millrace(['run', 'feature.yaml', '--yes', '--max-cost', '1']);
    const body = { task: 'Add a health endpoint', model: 'sim-fast' };
    const started = await server().call('POST', '/v1/executions', { key, body });
    ids['execution'] = String(started.body['id']);
    ids['job'] = await server().submit(key, { model: 'sim-fast', prompt: 'Say hello' });
    await server().finished(key, ids['job']);
    const webhook = await server().call('POST', '/v1/webhooks', {
      key,
      body: { url: 'https://ci.example.com/hooks/millrace', events: ['*'], description: 'CI' },
    });
    ids['webhook'] = String(webhook.body['id']);
    const owner = await ownerOf(server(), visitor);
    const nightly = await create(owner, { timeZone: 'Europe/Berlin', cron: '30 2 * * 1-5' });
    await fire(owner, nightly.id);
    await fire(owner, nightly.id);
    ids['schedule'] = nightly.id;
    const trigger = await createTrigger(owner);
    await sendGithub(server(), trigger, 'issues', githubLabelled());
    await sendGithub(server(), trigger, 'push', githubPush('millrace/12-search'));
    ids['trigger'] = trigger.id;
    await server().call('POST', '/v1/teams', { key, body: { name: 'Storefront' } });
    ids['healed'] = await runId('Shelves that can be searched');
    ids['failed'] = await runId('Invoices with rounding');
    await project.write('long.yaml', longManifest());
    long = project.start(['run', 'long.yaml', '--concurrency', '6']);
    await visitor.open('/runs');
    await visitor.page.getByRole('link', { name: 'Move billing to events' }).first().waitFor();
    ids['long'] = await runId('Move billing to events');
  });
  afterAll(async () => {
    long?.child.kill('SIGTERM');
    await long?.ended;
    await project?.remove();
    await visitor?.close();
  });

  async function take(
    page: Page,
    name: string,
    path: string,
    act?: (page: Page) => Promise<void>,
  ): Promise<void> {
    if (ONLY !== undefined && !new RegExp(ONLY).test(name)) return;
    for (const { theme, width, height } of LOOKS) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await page.goto(server().url + path);
      await page.locator('main h1, h1').first().waitFor();
      await act?.(page);
      // Nothing is asserted here: whoever looks sees whether it was enough.
      await page.waitForTimeout(1200);
      await page.screenshot({ path: join(FOLDER!, `${name}-${theme}-${width}.png`) });
    }
  }

  it('are taken', async () => {
    const { page } = visitor;
    const run = (name: string) => `/runs/${ids[name]}`;
    const pages: [name: string, path: string, act?: (page: Page) => Promise<void>][] = [
      ['run-long', run('long')],
      ['run-long-timeline', `${run('long')}?tab=timeline`],
      ['runs', '/runs'],
      ['run', run('healed')],
      ['run-stream', `${run('healed')}?stream=search`],
      ['run-timeline', `${run('healed')}?tab=timeline`],
      ['run-changes', `${run('healed')}?tab=changes`],
      ['run-log', `${run('healed')}?tab=log`],
      ['run-cost', `${run('healed')}?tab=cost`],
      ['run-manifest', `${run('healed')}?tab=manifest`],
      ['run-waiting', '/runs/run_01jcq8z5e0e5v8r3m6k1t2w9xh'],
      ['run-again', run('failed'), (at) => at.getByRole('button', { name: 'Run again' }).click()],
      ['run-fork', run('healed'), forkDialog],
      ['palette', '/runs', (at) => at.keyboard.press('Control+k')],
      ['keys', '/runs', (at) => at.keyboard.press('?')],
      ['run-json', `${run('healed')}?tab=json`],
      ['run-failed', run('failed')],
      ['run-failed-stream', `${run('failed')}?stream=invoices`],
      ['compare', `/compare?a=${ids['healed']}&b=${ids['failed']}`],
      ['runners', '/runners'],
      ['schedules', '/schedules'],
      ['schedule', `/schedules/${ids['schedule']}`],
      ['schedule-edit', `/schedules/${ids['schedule']}/edit`],
      ['triggers', '/triggers'],
      ['trigger', `/triggers/${ids['trigger']}`],
      ['trigger-edit', `/triggers/${ids['trigger']}/edit`],
      ['jobs', '/jobs'],
      ['job', `/jobs/${ids['job']}`],
      ['job-new', '/jobs/new'],
      ['executions', '/executions'],
      ['execution', `/executions/${ids['execution']}`],
      ['manifests', '/manifests'],
      ['new', '/new'],
      ['usage', '/usage'],
      ['connect', '/connect'],
      ['settings-provider-keys', '/settings/provider-keys'],
      ['settings-api-keys', '/settings/api-keys'],
      ['settings-webhooks', '/settings/webhooks'],
      ['settings-webhook', `/settings/webhooks/${ids['webhook']}`],
      ['settings-team', '/settings/team'],
      ['settings-plan', '/settings/plan'],
      ['settings-audit', '/settings/audit'],
      ['settings-account', '/settings/account'],
      ['system', '/system'],
      ['execution-new', '/executions/new'],
      ['docs', '/docs'],
      ['device', '/device'],
    ];
    for (const [name, path, act] of pages) await take(page, name, path, act);
  }, 3_600_000);

  it('are taken of what somebody new sees', async () => {
    const newcomer = await newVisitor(server());
    const { page } = newcomer;
    for (const name of [
      'runs',
      'schedules',
      'triggers',
      'executions',
      'jobs',
      'usage',
      'compare',
    ]) {
      await take(page, `empty-${name}`, `/${name}`);
    }
    for (const name of ['provider-keys', 'api-keys', 'webhooks', 'team', 'audit']) {
      await take(page, `empty-settings-${name}`, `/settings/${name}`);
    }
    await take(page, 'login', '/login');
    await newcomer.close();
  }, 3_600_000);
});
