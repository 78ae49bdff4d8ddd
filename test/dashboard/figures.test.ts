import { readFile, readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.ts';
import { useVisitor } from './use-visitor.ts';
import { newVisitor } from './visitor.ts';

describe.skipIf(chromiumPath === undefined)('figures in the dashboard', () => {
  const { server, visitor } = useVisitor();

  it('a manifest is checked and planned as one types, and stays in the browser', async () => {
    const { page } = visitor();
    await visitor().open('/manifests');
    await page.getByText('No problems').waitFor();
    await page.getByText('3 streams in 3 waves').waitFor();
    await page.getByText('unknown', { exact: true }).waitFor();
    const model = page.getByRole('combobox', { name: 'Model' });
    await model.fill('no-such-model');
    await page.getByText('The price of no-such-model is unknown').waitFor();
    await model.fill('sim-fast');
    await page.getByText(/^about \$0\.0\d/).waitFor();
    await visitor().expectAccessible();
    const editor = page.getByRole('textbox', { name: 'Manifest' });
    await page.getByLabel('Template').selectOption('workflow');
    await page.getByText('2 streams in 1 wave.').waitFor();
    await editor.click();
    await editor.press('Control+End');
    await page.keyboard.insertText('  docs:\n    plan: again\n');
    await page.getByText('There is no plan yet').waitFor();
    await page
      .getByRole('button', { name: /"docs"/ })
      .first()
      .click();
    await visitor().expectAccessible();
    await page.getByLabel('Template').selectOption('migration');
    await page.getByRole('button', { name: 'Keep it' }).click();
    await visitor().open('/manifests');
    await page.getByText('There is no plan yet').waitFor();
    await page.getByLabel('Template').selectOption('migration');
    await page.getByRole('button', { name: 'Replace the text' }).click();
    await page.getByText('4 streams in 3 waves').waitFor();
    const download = page.getByRole('button', { name: 'Download' });
    const file = await visitor().saved(() => download.click());
    expect(file.name).toBe('millrace.yaml');
    expect(file.text).toContain('feature: Move to the new client');
  });

  it('the checks of the server are not sent to browsers', async () => {
    const folder = new URL('../../dist/web/assets/', import.meta.url);
    for (const name of (await readdir(folder)).filter((each) => each.endsWith('.js'))) {
      expect((await readFile(new URL(name, folder), 'utf8')).includes('ZodError'), name).toBe(
        false,
      );
    }
  });

  it('what is connected turns green with its first call', async () => {
    const { page } = visitor();
    await visitor().open('/connect');
    await page.getByText('Waiting for the first call').waitFor();
    const ways = page.getByRole('tablist', { name: 'Ways to connect' });
    for (const name of ['Cursor', 'VS Code', 'Codex', 'Remote /mcp', 'SDK', 'CI', 'curl']) {
      await ways.getByRole('tab', { name, exact: true }).click();
    }
    await expect.poll(() => page.url()).toContain('with=curl');
    await page.getByText(`curl -X POST ${server().url}/api/v1/execute`).waitFor();
    await page.getByRole('button', { name: 'Create a key' }).click();
    const shown = await page.getByText('export MILLRACE_API_KEY').textContent();
    await visitor().expectAccessible();
    const key = shown!.split('MILLRACE_API_KEY=')[1]!;
    await server().submit(key, { streamId: 'hello' });
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Look at it' }).click();
    await page.getByRole('heading', { name: 'hello' }).waitFor();
  });

  it('a call that leaves no job turns it green, too', async () => {
    const { page, person } = visitor();
    const { key } = await server().createKey({ email: person.email });
    await visitor().open('/connect');
    await page.getByText('Waiting for the first call').waitFor();
    // Until the page has seen how it was before.
    await page.waitForResponse((response) => response.url().includes('/v1/api-keys'));
    expect((await server().call('GET', '/v1/executions', { key })).status).toBe(200);
    await page.getByText('Connected', { exact: true }).waitFor();
  });

  it('the system is shown to its administrators, others see that it is up', async () => {
    const { page } = visitor();
    await visitor().open('/system');
    await page.getByText('shown to server administrators').waitFor();
    await visitor().expectAccessible();
    await server().db.query('update users set is_admin = true where id = $1', [
      visitor().person.userId,
    ]);
    await visitor().open('/system');
    await page.getByRole('region', { name: 'Nodes' }).getByText('Up').waitFor();
    await page.getByText('Nothing waits').waitFor();
    await page.getByText('No job waits for a provider or a cap.').waitFor();
    await visitor().expectAccessible();
  });

  it('usage says what was spent and where, and the owner sets a budget', async () => {
    // Somebody who has used nothing yet.
    const owner = await newVisitor(server());
    const { page } = owner;
    await owner.open('/usage');
    await page.getByText('Nothing used this month').waitFor();
    const jobId = await server().submit(owner.key);
    await server().finished(owner.key, jobId);
    // Nobody reloads the page.
    await page.getByRole('cell', { name: 'sim-instant simulator' }).waitFor();
    await page.getByRole('tab', { name: 'Member' }).click();
    await page.getByRole('cell', { name: owner.person.email }).waitFor();
    await page.getByLabel('Show').selectOption('jobs');
    await expect.poll(() => page.url()).toContain('show=jobs');
    await page.getByRole('img', { name: 'Jobs by day, at most 1 on one day' }).waitFor();
    await page.getByRole('button', { name: 'Set a budget' }).click();
    await page.getByLabel('Dollars a month').fill('25');
    await owner.expectAccessible();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('$25.00', { exact: true }).waitFor();
    await page.getByRole('meter', { name: 'Budget' }).waitFor();
    await owner.expectAccessible();
    const file = await owner.saved(() => page.getByRole('button', { name: 'CSV' }).click());
    expect(file.name).toMatch(/^usage-\d{4}-\d\d\.csv$/);
    expect(file.text).toContain('sim-instant');
    await page.getByLabel('Month').selectOption({ index: 1 });
    await page.getByText('Nothing used this month').waitFor();
    await expect.poll(() => page.url()).toMatch(/month=\d{4}-\d\d/);
    owner.expectQuiet();
    await owner.close();
  });
});
