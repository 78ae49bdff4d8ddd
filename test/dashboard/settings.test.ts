import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import type { Receiver } from '../webhooks/receiver.ts';
import { PASSWORD, newPerson, signIn } from '../accounts/people.ts';
import { useVisitor } from './use-visitor.ts';
import { newVisitor } from './visitor.ts';

describe.skipIf(chromiumPath === undefined)('settings in the dashboard', () => {
  let receiver: Receiver;
  const { server, vendors, visitor } = useVisitor();
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(async () => {
    // Whoever comes next to this server has other keys.
    vendors().setKeys('anthropic', 'any');
    await receiver?.close();
  });

  it('take a provider key, test it again and delete it', async () => {
    const { page } = visitor();
    vendors().setKeys('anthropic', ['sk-ant-good-0123456789']);
    await visitor().open('/settings');
    await page.waitForURL('**/settings/provider-keys');
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Add key' }).first().click();
    const store = page.getByRole('button', { name: 'Test and store' });
    await page.getByLabel('API key').fill('sk-ant-wrong-0123456789');
    await expect.poll(() => store.isDisabled()).toBe(true);
    await page.getByRole('checkbox').check();
    await store.click();
    await page.locator('p.text-bad').waitFor();
    visitor().forgetRefusals();
    await page.getByLabel('API key').fill('sk-ant-good-0123456789');
    await store.click();
    await page.getByText('Anthropic accepts the key').waitFor();
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('Anthropic accepts this key.').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete the key' }).click();
    await page.getByText('The Anthropic key was deleted').waitFor();
  });

  it('create an API key that is shown once, rotate and revoke it', async () => {
    const { page } = visitor();
    await visitor().open('/settings/api-keys');
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('CI');
    await page.getByLabel('Scopes', { exact: true }).selectOption('some');
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const key = await page.getByLabel('API key', { exact: true }).textContent();
    expect((await server().call('GET', '/api/v1/history', { key: key! })).status).toBe(200);
    expect((await server().call('GET', '/v1/webhooks', { key: key! })).status).toBe(403);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Rotate CI' }).click();
    await page.getByLabel('The old key works for').selectOption('0');
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const next = await page.getByLabel('API key', { exact: true }).textContent();
    expect(next).not.toBe(key);
    await page.getByRole('button', { name: 'Done' }).click();
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Revoke CI' }).first().click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByText('CI was revoked').waitFor();
    expect((await server().call('GET', '/api/v1/history', { key: next! })).status).toBe(401);
    await page.getByLabel(/Show expired and revoked/).check();
    await page.getByText('Revoked', { exact: true }).waitFor();
  });

  it('take a name, and tell so without what was not there before', async () => {
    const { page } = visitor();
    await visitor().open('/settings/account');
    await page.getByRole('button', { name: 'Add your name' }).click();
    await page.getByLabel('Name', { exact: true }).fill(' Jane Walker ');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Jane Walker', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Change name' }).waitFor();
    await visitor().open('/settings/audit?action=account.*');
    await page.getByText('A user changed their name').waitFor();
    await page.getByText('Jane Walker', { exact: true }).last().waitFor();
    expect(await page.locator('main').textContent()).not.toContain('null');
  });

  it('add a webhook, send it a test event, show the attempts and send it again', async () => {
    const { page } = visitor();
    receiver.answer('/hook', (response, nth) => {
      response.statusCode = nth === 1 ? 410 : 200;
      response.end(nth === 1 ? 'gone for now' : 'thanks');
    });
    await visitor().open('/settings/webhooks');
    await page.getByText('No webhooks yet').waitFor();
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByLabel('URL').fill(`${receiver.url}/hook`);
    await page.getByLabel('Events', { exact: true }).selectOption('some');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expect
      .poll(() => page.getByLabel('secret', { exact: true }).textContent())
      .toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: `${receiver.url}/hook` }).click();
    await page.getByText('Nothing was sent yet').waitFor();
    await page.getByRole('button', { name: 'Send test event' }).click();
    // Told to go away, it is disabled, and says so.
    await page.locator('summary').getByText('Failed').waitFor();
    await page.locator('summary').click();
    await page.getByText('gone for now').waitFor();
    await page.reload();
    await page.getByText('Fix the receiver').waitFor();
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await page.locator('summary').first().click();
    await page.getByRole('button', { name: 'Resend' }).first().click();
    await page.locator('summary').getByText('Delivered').waitFor();
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete the webhook' }).click();
    await page.getByText('No webhooks yet').waitFor();
  });

  it('create a team, invite a person, and a viewer there can change nothing', async () => {
    const { page } = visitor();
    await visitor().open('/settings/team');
    await page.getByRole('button', { name: 'Create team' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Platform');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL('**/runs');
    await visitor().open('/settings/team');
    await page.getByRole('heading', { name: 'Platform', level: 1 }).waitFor();
    const guest = await newPerson(server());
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('Email').fill(guest.email);
    await page.getByLabel('Role', { exact: true }).selectOption('viewer');
    await page.getByRole('button', { name: 'Create invitation' }).click();
    const link = await page.getByLabel('link', { exact: true }).textContent();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Invited', { exact: true }).waitFor();
    await visitor().expectAccessible();
    const token = link!.split('#')[1];
    expect((await guest.call('POST', '/v1/invitations/accept', { token })).status).toBe(200);

    const viewer = await newVisitor(server(), { person: guest });
    await viewer.open('/settings/team');
    await viewer.page.getByRole('button', { name: 'Switch to Platform' }).click();
    await viewer.page.waitForURL('**/runs');
    const words = /Add|Create API|Invite|Delete|Rename|Change|Remove|Export|Pause|Cancel|Test/;
    for (const path of ['provider-keys', 'webhooks', 'team', 'plan', 'audit']) {
      await viewer.open(`/settings/${path}`);
      await viewer.page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
      const buttons = await viewer.page.locator('main').getByRole('button').allTextContents();
      expect(
        buttons.filter((text) => words.test(text)),
        path,
      ).toEqual([]);
    }
    viewer.expectQuiet();
    const teamId = await viewer.page.evaluate('localStorage.getItem("millrace.team")');
    const body = { url: `${receiver.url}/x`, events: ['*'] };
    const headers = { 'sec-fetch-site': 'same-origin', 'x-team-id': String(teamId) };
    expect((await guest.call('POST', '/v1/webhooks', body, headers)).status).toBe(403);
    await viewer.close();

    await page.reload();
    await page.getByLabel(`Role of ${guest.email}`).selectOption('admin');
    await page.getByText('is now admin').waitFor();
    await page.getByRole('button', { name: `Remove ${guest.email}` }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('is no longer in the team').waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Platform two');
    await page.getByRole('button', { name: 'Rename', exact: true }).last().click();
    await page.getByRole('heading', { name: 'Platform two', level: 1 }).waitFor();
  });

  it('tell who changed what, by filters that are in the address', async () => {
    const { page } = visitor();
    await visitor().open('/settings/audit');
    await page.getByText('The role of a member or of an invitation was changed').waitFor();
    await visitor().expectAccessible();
    await page.getByLabel('Action').selectOption('webhook.*');
    await page.getByText('No entry matches').waitFor();
    await expect.poll(() => page.url()).toContain('action=webhook');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.locator('code').getByText('member.removed').first().waitFor();
  });

  it('change the plan of the team', async () => {
    const { page } = visitor();
    await visitor().open('/settings/plan');
    await page.getByLabel('Plan', { exact: true }).selectOption('pro');
    await page.getByRole('button', { name: 'Change plan' }).click();
    await page.getByText('Changes to Pro on').waitFor();
    await visitor().expectAccessible();
  });

  it('change the password, and end sessions elsewhere, which lead back to login', async () => {
    const { page, person } = visitor();
    const again = { ...person, ...(await signIn(server(), person.email)) };
    const other = await newVisitor(server(), { person: again });
    await other.open('/settings/account?from=here');
    // Left first: a page whose session ends goes to the login by itself, in between.
    await other.page.goto('about:blank');
    await visitor().open('/settings/account');
    await visitor().expectAccessible();
    await page
      .getByRole('button', { name: /^Sign out (?!everywhere)/ })
      .first()
      .click();
    await page.getByText('was signed out').waitFor();
    await other.page.goto(`${server().url}/settings/account?from=here`, { waitUntil: 'commit' });
    await other.page.waitForURL('**/login?return=*');
    await expect
      .poll(() => other.page.url())
      .toContain(encodeURIComponent('/settings/account?from=here'));
    await other.page.getByLabel('Email').fill(person.email);
    await other.page.getByLabel('Password').fill(PASSWORD);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.waitForURL('**/settings/account?from=here');
    await other.close();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('other unrelated words 7');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password was changed').waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('button', { name: 'Sign out everywhere' }).last().click();
    await page.waitForURL('**/login?return=*');
    visitor().forgetRefusals();
  });
});
