import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSetupLink } from '../../src/services/accounts/account-links.ts';
import { chromiumPath, openBrowser } from '../support/browser.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({ role: 'api' });
const PASSWORD = 'tulpe wagen regen 42';

describe.skipIf(chromiumPath === undefined)('the page of links', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage();
  });
  afterAll(() => browser.close());

  it('creates the first account and an API key, then invites somebody who joins', async () => {
    const link = await makeSetupLink(server().db, server().url);
    await page.goto(link!.url);
    await page.getByLabel('Email').fill('first@example.com');
    await page.getByLabel('New password').fill('password1234');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('easy to guess').waitFor();
    expect(page.url()).not.toContain('mill_ln_');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Create an API key' }).click();
    const key = await page.locator('code').textContent();
    const { body } = await server().call('GET', '/v1/teams', { key: key! });
    const team = (body['items'] as { id: string }[])[0]!.id;

    const invited = await server().call('POST', `/v1/teams/${team}/members`, {
      key: key!,
      body: { email: 'second@example.com', role: 'member' },
    });
    await page.goto('about:blank');
    await page.goto((invited.body['invitation'] as { url: string }).url);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Signed in as second@example.com').waitFor();
  });

  it('says so when a link does not work', async () => {
    await page.goto('about:blank');
    await page.goto(`${server().url}/welcome#mill_ln_x`);
    await page.getByText('This link has expired or was already used').waitFor();
  });
});
