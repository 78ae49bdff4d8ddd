import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSetupLink } from '../../src/services/accounts/account-links.ts';
import { PASSWORD } from '../accounts/people.ts';
import { chromiumPath, useBrowser } from '../support/browser.ts';
import { useServer } from '../support/use-server.ts';
import { createRunProject, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';
import { tabTo } from './tab-to.ts';
import { violationsOn } from './visitor.ts';

const server = useServer();
const EMAIL = 'first@example.com';

async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violationsOn(page), `${page.url()} in ${colorScheme}`).toEqual([]);
  }
}

describe.skipIf(chromiumPath === undefined)('the frame of the dashboard', () => {
  const browser = useBrowser();
  let project: RunProject;
  let page: Page;
  const problems: string[] = [];
  beforeAll(async () => {
    page = await browser.newPage({ reducedMotion: 'reduce' });
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
  });
  afterAll(async () => {
    await project?.remove();
  });

  it('leads from the set-up link to a finished run', async () => {
    const link = await makeSetupLink(server().db, server().url);
    await page.goto(link!.url);
    await page.getByLabel('Email').fill(EMAIL);
    await page.getByLabel('New password').fill(PASSWORD);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Create an API key' }).click();
    project = await createRunProject(server());
    project.settings['MILLRACE_API_KEY'] = (await page.locator('code').textContent())!;
    await page.getByRole('link', { name: 'Open the dashboard' }).click();
    await page.getByText('No runs yet').waitFor();
    const running = project.start(['run', 'feature.yaml', '--yes']);
    await page.getByRole('link', { name: 'Shelves that can be searched' }).first().click();
    await page.locator('dl').getByText('Complete').first().waitFor();
    await page.getByRole('note').getByText('called no provider').waitFor();
    expect(await running.ended).toBe(0);
    expect(problems).toEqual([]);
  });

  it('finds documentation, executions, jobs and actions with Ctrl K', async () => {
    const made = await project.millrace(
      ['exec', 'Write a page about herons', '--wait', '--json', '--model', 'sim-instant'],
      { MILLRACE_API_KEY: project.settings['MILLRACE_API_KEY']! },
    );
    const { id } = JSON.parse(made.stdout) as { id: string };
    const found: readonly (readonly [words: string, group: string, name: RegExp, url: string])[] = [
      ['own database', 'Documentation', /^Your own database/, '**/docs/databases'],
      // Its run has the same name.
      ['herons', 'Recent executions', /^Write a page about herons/, `**/executions/${id}`],
      ['recent jobs', 'Recent jobs', /, sim-/, '**/jobs/job_*'],
      ['new execution', 'Actions', /^New execution/, '**/executions/new'],
    ];
    for (const [words, group, name, url] of found) {
      await page.goto(`${server().url}/runs`);
      await page.getByRole('button', { name: /Search or jump/ }).click();
      await page.getByPlaceholder('Search pages, work').fill(words);
      const entries = page.getByRole('group', { name: group });
      await entries.getByRole('option', { name }).first().click();
      await page.waitForURL(url);
    }
  });

  it('does what the list under ? says, names the tab and moves the focus to the heading', async () => {
    await page.goto(`${server().url}/runs`);
    await page.getByRole('button', { name: /Search or jump/ }).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.waitFor();
    await expectAccessible(page);
    const rows = await dialog.locator('dl > div').all();
    const listed = await Promise.all(
      rows.map(async (row) => ({
        label: await row.locator('dt').innerText(),
        keys: await row.locator('kbd').allInnerTexts(),
      })),
    );
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const found: Record<string, () => Promise<void>> = {
      'Open the command palette': () => page.getByRole('dialog', { name: 'Command' }).waitFor(),
      'Show these keys': () => dialog.waitFor(),
      'Filter the page': () => page.locator('input[type="search"]:focus').waitFor(),
      'Next row': () => page.locator('[data-row]:focus').waitFor(),
      'Previous row': () => page.locator('[data-row]:focus').waitFor(),
      'Go to Needs you': () => page.waitForURL('**/approvals'),
      'Open the row': () => page.waitForURL('**/runs/*'),
      'Select the row': () => page.locator('input:checked').first().waitFor(),
    };
    expect(listed.map(({ label }) => label)).toEqual(expect.arrayContaining(['Next row']));
    for (const { label, keys } of listed) {
      await page.goto(`${server().url}/runs`);
      await page.getByRole('button', { name: /Search or jump/ }).waitFor();
      await page.getByRole('searchbox').waitFor();
      await page.locator('[data-row]').first().waitFor();
      // What is about a row needs one.
      if (label.endsWith(' the row')) await page.keyboard.press('j');
      if (keys[0] === 'Ctrl') await page.keyboard.press(`Control+${keys[1]}`);
      else for (const key of keys) await page.keyboard.press(key);
      const goTo = label.replace('Go to ', '');
      await (found[label] ?? (() => page.waitForURL(`**/${goTo.toLowerCase()}**`)))();
    }
    await page.keyboard.press('Escape');
    await page.goto(`${server().url}/runs`);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.locator('h1:focus').getByText('Provider keys').waitFor();
    expect(await page.title()).toBe('Provider keys · Millrace');
    // Letters that are typed into a field stay there.
    await page.goto(`${server().url}/runs`);
    await page.getByRole('searchbox').pressSequentially('g s?');
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('g s?');
    await expect.poll(() => page.url()).toContain('/runs');
    expect(problems).toEqual([]);
  });

  it('can be used without a mouse, from login to the cancelled run', async () => {
    // Left first: a page that asks for something without its cookie goes to the login by itself, in between.
    await page.goto('about:blank');
    await page.context().clearCookies();
    await project.write(
      'm.yaml',
      manifestOf([{ id: 'a', directives: '[[sim:hang]]' }], 'sim-fast'),
    );
    const running = project.start(['run', 'm.yaml']);
    await page.goto(`${server().url}/runs`, { waitUntil: 'commit' });
    await page.waitForURL('**/login?return=*');
    await page.getByLabel('Email').waitFor();
    await expectAccessible(page);
    await page.keyboard.type(EMAIL);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/runs');
    await page.getByRole('link', { name: 'Test', exact: true }).waitFor();
    await page.getByRole('button', { name: /Search or jump/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^Test / }).waitFor();
    await expectAccessible(page);
    await page.keyboard.type('Test run_');
    await page.locator('[aria-selected="true"]').getByText('Test', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor();
    await tabTo(page.getByRole('button', { name: 'Cancel', exact: true }));
    await page.keyboard.press('Enter');
    await tabTo(page.getByRole('button', { name: 'Cancel the run', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByText('Cancelled').first().waitFor();
    expect(await running.ended).toBe(130);
  });
});
