import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openBrowser } from '../support/browser.ts';
import { useServer } from '../support/use-server.ts';
import { newVisitor } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const server = useServer();

describe.skipIf(chromiumPath === undefined)('figures in the dashboard', () => {
  let browser: Browser;
  let visitor: Visitor;
  beforeAll(async () => {
    browser = await openBrowser();
    visitor = await newVisitor(browser, server());
  });
  afterEach(() => visitor.expectQuiet());
  afterAll(async () => {
    await browser?.close();
  });

  it('usage says what was spent and where, and the owner sets a budget', async () => {
    const { page } = visitor;
    await visitor.open('/usage');
    await page.getByText('Nothing was used in this month').waitFor();
    const jobId = await server().submit(visitor.key);
    await server().finished(visitor.key, jobId);
    // Nobody reloads the page.
    await page.getByRole('cell', { name: 'sim-instant simulator' }).waitFor();
    await page.getByRole('tab', { name: 'Member' }).click();
    await page.getByRole('cell', { name: visitor.person.email }).waitFor();
    await page.getByLabel('Show').selectOption('jobs');
    expect(page.url()).toContain('show=jobs');
    await page.getByRole('img', { name: 'Jobs by day, at most 1 on one day' }).waitFor();
    await page.getByRole('button', { name: 'Set a budget' }).click();
    await page.getByLabel('Dollars a month').fill('25');
    await visitor.expectAccessible();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('$25.00', { exact: true }).waitFor();
    await page.getByRole('meter', { name: 'Budget' }).waitFor();
    await visitor.expectAccessible();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/^usage-\d{4}-\d\d\.csv$/);
    expect(await readFile(await file.path(), 'utf8')).toContain('sim-instant');
    await file.delete();
    await page.getByLabel('Month').selectOption({ index: 1 });
    await page.getByText('Nothing was used in this month').waitFor();
    expect(page.url()).toMatch(/month=\d{4}-\d\d/);
  });
});
