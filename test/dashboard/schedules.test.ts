// The pages of schedules, with a runner that is only said to be there.
import { beforeAll, describe, expect, it } from 'vitest';
import { newPerson } from '../accounts/people.ts';
import {
  WORK,
  create,
  endRequests,
  find,
  fire,
  firingsOf,
  requestsOf,
} from '../schedules/schedules.ts';
import type { Owner } from '../schedules/schedules.ts';
import { chromiumPath } from '../support/browser.ts';
import { HOSTILE, LONG, expectNarrow, ownerOf, timesIn } from './starters.ts';
import { tabTo } from './tab-to.ts';
import { useVisitor } from './use-visitor.ts';
import { newViewer, newVisitor } from './visitor.ts';

const idIn = (url: string) => new URL(url).pathname.split('/')[2]!;

describe.skipIf(chromiumPath === undefined)('schedules, in the dashboard', () => {
  const { server, visitor } = useVisitor();
  let owner: Owner;
  beforeAll(async () => {
    owner = await ownerOf(server(), visitor());
  });

  it('are created with the next times that the server has, too', async () => {
    const { page } = visitor();
    await visitor().open('/schedules');
    await page.getByText('No schedules yet').waitFor();
    await visitor().expectAccessible();
    await page.getByRole('link', { name: 'New schedule' }).click();
    await page.getByRole('heading', { name: 'New schedule' }).waitFor();
    const zone = page.getByRole('combobox', { name: 'Time zone' });
    expect(await zone.inputValue()).toBe(
      await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone'),
    );
    const submit = page.getByRole('button', { name: 'Create the schedule' });
    expect(await submit.isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Name' }).fill('Nightly');
    await page.getByRole('textbox', { name: 'Task' }).fill('Fix dead links');
    const pattern = page.getByRole('textbox', { name: 'Pattern' });
    for (const [cron, problem] of [
      ['0 9 *', 'Must have five fields'],
      ['61 9 * * *', 'Is not a cron pattern'],
      ['0 0 30 2 *', 'Is never due'],
    ] as const) {
      await pattern.fill(cron);
      await page.getByText(problem).waitFor();
      await expect.poll(() => submit.isDisabled()).toBe(true);
    }
    await page.getByRole('button', { name: 'Monday to Friday', exact: true }).click();
    expect(await pattern.inputValue()).toBe('0 9 * * 1-5');
    await pattern.fill('30 2 * * *');
    await page.getByText('Every day at 02:30').waitFor();
    await zone.fill('Atlantis/Lost');
    await page.getByText('Must be a time zone such as').waitFor();
    await zone.fill('Europe/Berlin');
    await page.getByRole('list', { name: 'Next times' }).waitFor();
    await visitor().expectAccessible();
    await expect.poll(() => submit.isDisabled()).toBe(false);
    const shown = await timesIn(page, 'Next times');
    await submit.click();
    await page.getByRole('heading', { name: 'Nightly' }).waitFor();
    const schedule = await find(owner, idIn(page.url()));
    expect(schedule).toMatchObject({
      cron: '30 2 * * *',
      timeZone: 'Europe/Berlin',
      work: WORK,
      overlap: 'skip',
      catchUp: 'once',
      pauseAfterFailures: 5,
      budgetUsdPerMonth: null,
    });
    expect(schedule.next).toHaveLength(5);
    expect(shown).toEqual(schedule.next);
    expect(await timesIn(page, 'Next times')).toEqual(schedule.next);
    await page.getByText('It was not due yet').waitFor();
    await visitor().expectAccessible();
    await page.getByRole('link', { name: 'Schedules' }).last().click();
    const row = page.getByRole('region', { name: 'Schedules' }).locator('tbody tr');
    for (const text of ['Nightly', 'Fix dead links', 'shop', 'Every day at 02:30', 'Active']) {
      await row.getByText(text, { exact: true }).waitFor();
    }
  });

  it('are created by keyboard alone', async () => {
    const { page } = visitor();
    await visitor().open('/runs');
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.getByRole('heading', { name: 'Schedules' }).waitFor();
    const begin = page.getByRole('link', { name: 'New schedule' });
    await begin.waitFor();
    await tabTo(begin);
    await page.keyboard.press('Enter');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.waitFor();
    await tabTo(name);
    await page.keyboard.type('Links');
    await tabTo(page.getByRole('button', { name: 'Every so often' }));
    await page.keyboard.press('Space');
    await tabTo(page.getByRole('spinbutton', { name: 'Every' }));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('90');
    await tabTo(page.getByRole('combobox', { name: 'Unit' }));
    await page.keyboard.type('min');
    await tabTo(page.getByRole('textbox', { name: 'Task' }));
    await page.keyboard.type('Fix dead links');
    await tabTo(page.getByRole('spinbutton', { name: 'Dollars a month' }));
    await page.keyboard.type('2.5');
    await tabTo(page.getByRole('button', { name: 'Create the schedule' }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Links' }).waitFor();
    expect(await find(owner, idIn(page.url()))).toMatchObject({
      cron: null,
      everySeconds: 5400,
      budgetUsdPerMonth: 2.5,
    });
    await page.getByText('Every 90 minutes').waitFor();
  });

  it('and triggers are begun from the command palette', async () => {
    const { page } = visitor();
    for (const noun of ['schedule', 'trigger']) {
      await visitor().open('/usage');
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Search pages, work').fill(`new ${noun}`);
      await page.getByRole('option', { name: `New ${noun}`, exact: true }).click();
      await page.getByRole('heading', { name: `New ${noun}` }).waitFor();
    }
  });

  it('show what the server refuses, beside the field', async () => {
    const { page } = visitor();
    await visitor().open('/schedules/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('Refused');
    await page.getByRole('textbox', { name: 'Task' }).fill('x');
    await page.getByRole('combobox', { name: 'Model' }).fill('no such model; ls');
    await page.getByRole('button', { name: 'Create the schedule' }).click();
    const field = page.locator('input[aria-invalid="true"]');
    await field.waitFor();
    expect(await field.inputValue()).toBe('no such model; ls');
    visitor().forgetRefusals();
  });

  it('keep what is not changed, and their owner while the work is the same', async () => {
    const { page } = visitor();
    const other = await server().createKey();
    await server().db.query(
      `insert into team_members (team_id, user_id, role) values ($1, $2, 'member')`,
      [owner.teamId, await server().userId(other.email)],
    );
    const rules = {
      overlap: 'queue',
      catchUp: 'none',
      budgetUsdPerMonth: 12.5,
      pauseAfterFailures: null,
    };
    const work = {
      project: 'elsewhere',
      manifest: { path: 'docs/links.yaml' },
      only: ['links'],
      labels: ['gpu'],
      priority: 7,
      agent: 'codex',
      maxCostUsd: 3,
      branch: 'millrace/links',
      openRequest: true,
    };
    const made = await create(owner, {
      name: 'Kept',
      cron: undefined,
      everySeconds: 90,
      work,
      ...rules,
    });
    await server().db.query('update schedules set user_id = $2 where id = $1', [
      made.id,
      await server().userId(other.email),
    ]);
    await visitor().open(`/schedules/${made.id}`);
    await page.getByText(other.email).waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    const list = page.getByRole('list', { name: 'Next times' });
    await list.waitFor();
    // Counted on from where it is.
    const from = Date.parse(made.next[0]!);
    const shown = await timesIn(page, 'Next times');
    expect(shown.map((time) => (Date.parse(time!) - from) % 90_000)).toEqual([0, 0, 0, 0, 0]);
    await page.getByRole('textbox', { name: 'Name' }).fill('Renamed');
    await page.getByRole('button', { name: 'Save the schedule' }).click();
    await page.getByRole('heading', { name: 'Renamed' }).waitFor();
    const renamed = await find(owner, made.id);
    expect(renamed).toMatchObject({ name: 'Renamed', everySeconds: 90, work, ...rules });
    expect(renamed.owner.email).toBe(other.email);
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('spinbutton', { name: 'Budget in dollars' }).fill('4');
    await page.getByText('its runs act and pay as you from then on').waitFor();
    await page.getByRole('button', { name: 'Save the schedule' }).click();
    await page.getByRole('heading', { name: 'Renamed' }).waitFor();
    const changed = await find(owner, made.id);
    expect(changed).toMatchObject({ work: { ...work, maxCostUsd: 4 }, ...rules });
    expect(changed.owner.email).toBe(owner.email);
  });

  it('are saved with what others changed meanwhile, and say when they are gone', async () => {
    const { page } = visitor();
    const made = await create(owner, { name: 'Shared' });
    await visitor().open(`/schedules/${made.id}/edit`);
    await page.getByRole('textbox', { name: 'Name' }).fill('Ours');
    const body = { cron: '0 4 * * *', overlap: 'cancel_older' };
    await server().call('PATCH', `/v1/schedules/${made.id}`, { key: owner.key, body });
    // A run of it is news to every page of the team.
    await server().call('POST', `/v1/schedules/${made.id}/run-now`, { key: owner.key, body: {} });
    await page.getByText('It was changed elsewhere').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Ours');
    await page.getByRole('button', { name: 'Save the schedule' }).click();
    await page.getByRole('heading', { name: 'Ours' }).waitFor();
    expect(await find(owner, made.id)).toMatchObject({ name: 'Ours', ...body });
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Gone');
    await server().call('DELETE', `/v1/schedules/${made.id}`, { key: owner.key });
    await page.getByRole('button', { name: 'Save the schedule' }).click();
    await page.getByRole('alert').getByText('There is no schedule with this id.').waitFor();
    visitor().forgetRefusals();
  });

  it('are run by a button, with the request in the log, or with the reason why not', async () => {
    const { page } = visitor();
    const { id } = await create(owner, { name: 'By hand' });
    await visitor().open(`/schedules/${id}`);
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('Its run was asked for, as you.').waitFor();
    const log = page.getByRole('region', { name: 'What happened' });
    await log.getByText('Run now').waitFor();
    const [request] = await requestsOf(owner, id);
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('Nothing was started. An earlier run had not ended.').first().waitFor();
    visitor().forgetRefusals();
    // One that nobody at the page has asked for.
    await fire(owner, id);
    await visitor().open(`/schedules/${id}`);
    await log.getByText('Skipped').waitFor();
    await log.getByText('An earlier run had not ended').waitFor();
    await visitor().expectAccessible();
    await log.getByRole('link', { name: `Request ${request!.id}` }).click();
    await page.getByRole('heading', { name: 'Fix dead links' }).waitFor();
    await page.getByRole('link', { name: 'a schedule' }).click();
    await page.getByRole('heading', { name: 'By hand' }).waitFor();
    // Its end is news.
    await server().call('POST', `/v1/run-requests/${request!.id}/cancel`, { key: owner.key });
    await log.getByText('Cancelled').waitFor();
  });

  it('say why they are paused, and start again by a button', async () => {
    const { page } = visitor();
    const { id } = await create(owner, { name: 'Failing', pauseAfterFailures: 1 });
    await fire(owner, id);
    await endRequests(owner, id, 'failed');
    const firing = await fire(owner, id);
    expect(firing).toMatchObject({ result: 'paused', reason: 'failures' });
    await visitor().open('/schedules');
    const row = page.getByRole('row', { name: 'Failing' });
    await row.getByText('Paused', { exact: true }).first().waitFor();
    await row.getByText('Its runs failed too often in a row').first().waitFor();
    await visitor().expectAccessible();
    await row.getByRole('link', { name: 'Failing' }).click();
    const notice = page.getByRole('status').getByText('its runs failed too often in a row');
    await notice.waitFor();
    expect(await page.getByRole('list', { name: 'Next times' }).count()).toBe(0);
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Resume' }).click();
    await notice.waitFor({ state: 'detached' });
    await page.getByRole('list', { name: 'Next times' }).waitFor();
    expect((await find(owner, id)).status).toBe('active');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('a person paused it').waitFor();
    expect(await find(owner, id)).toMatchObject({ status: 'paused', pausedReason: 'user' });
  });

  it('are deleted after a question', async () => {
    const { page } = visitor();
    const { id } = await create(owner, { name: 'Not needed' });
    await visitor().open(`/schedules/${id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('Runs that it has asked for continue').waitFor();
    await visitor().expectAccessible();
    await page.keyboard.press('Escape');
    expect((await find(owner, id)).name).toBe('Not needed');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the schedule' }).click();
    await page.getByText('The schedule was deleted.').waitFor();
    await page.getByRole('heading', { name: 'Schedules' }).waitFor();
    await expect.poll(() => page.getByText('Not needed').count()).toBe(0);
    const gone = await server().call('GET', `/v1/schedules/${id}`, { key: owner.key });
    expect(gone.status).toBe(404);
  });

  it('are looked at by viewers, who change nothing, and by no strangers', async () => {
    const { id } = await create(owner, { name: 'Looked at' });
    const viewer = await newViewer(server(), visitor().person);
    await viewer.open('/schedules');
    await viewer.page.getByRole('link', { name: 'Looked at' }).waitFor();
    expect(await viewer.page.getByRole('link', { name: 'New schedule' }).count()).toBe(0);
    await viewer.open(`/schedules/${id}`);
    await viewer.page.getByText('It was not due yet').waitFor();
    for (const name of ['Run now', 'Pause', 'Delete']) {
      expect(
        await viewer.page.getByRole('button', { name, exact: name === 'Pause' }).count(),
        name,
      ).toBe(0);
    }
    expect(await viewer.page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
    for (const path of ['new', `${id}/edit`]) {
      await viewer.open(`/schedules/${path}`);
      await viewer.page.getByText('You are a viewer of this team').waitFor();
    }
    viewer.expectQuiet();
    await viewer.close();
    const stranger = await newVisitor(server(), { person: await newPerson(server()) });
    await stranger.open('/schedules/new');
    await stranger.page.getByText('No runners yet').waitFor();
    stranger.expectQuiet();
    await stranger.close();
  });

  it('keep hostile and long names in their place, and fit on a phone', async () => {
    const { page } = visitor();
    await create(owner, { name: HOSTILE, work: { project: 'shop', task: HOSTILE } });
    const { id } = await create(owner, { name: LONG, cron: '1-7,9 */5 * 2-11/3 mon' });
    await server().call('POST', `/v1/schedules/${id}/run-now`, { key: owner.key, body: {} });
    expect(await firingsOf(owner, id)).toHaveLength(1);
    await expectNarrow(visitor(), [
      '/schedules',
      `/schedules/${id}`,
      `/schedules/${id}/edit`,
      '/schedules/new',
    ]);
    await visitor().open('/schedules');
    await page.getByText('1-7,9 */5 * 2-11/3 mon').waitFor();
    expect(await page.locator('img[src=x]').count()).toBe(0);
  });
});
