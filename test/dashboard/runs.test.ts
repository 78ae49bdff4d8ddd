import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openBrowser } from '../support/browser.ts';
import { useServer } from '../support/use-server.ts';
import { createRunProject, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';
import { newVisitor } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const server = useServer();

describe.skipIf(chromiumPath === undefined)('runs in the dashboard', () => {
  let browser: Browser;
  let visitor: Visitor;
  let project: RunProject;
  beforeAll(async () => {
    browser = await openBrowser();
    visitor = await newVisitor(browser, server());
    project = await createRunProject(server());
    // The person at the browser and the command line are the same.
    project.settings['MILLRACE_API_KEY'] = visitor.key;
  });
  afterEach(() => visitor.expectQuiet());
  afterAll(async () => {
    await project?.remove();
    await browser?.close();
  });

  it('say how to begin when there are none', async () => {
    await visitor.open('/');
    await visitor.page.getByText('No runs yet').waitFor();
    expect(new URL(visitor.page.url()).pathname).toBe('/runs');
    await visitor.expectAccessible();
  });

  it('appear by themselves, are followed stream by stream, and can be cancelled', async () => {
    const { page } = visitor;
    const streams = [{ id: 'a' }, { id: 'b', deps: ['a'], directives: '[[sim:hang]]' }];
    await project.write('m.yaml', manifestOf(streams, 'sim-fast'));
    const running = project.start(['run', 'm.yaml']);
    // Nobody reloads the page.
    await page.getByRole('link', { name: 'Test' }).first().click();
    await page.getByRole('button', { name: 'Complete: About a' }).waitFor();
    await page.getByRole('button', { name: 'Running: About b' }).click();
    await page.getByRole('complementary', { name: 'Stream About b' }).waitFor();
    await visitor.expectAccessible();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText('Cancelled').first().waitFor();
    expect(await running.ended).toBe(130);
  });

  it('show how they failed and how they were healed', async () => {
    const { page } = visitor;
    expect((await project.millrace(['run', 'feature.yaml', '--yes'])).code).toBe(0);
    await visitor.open('/runs');
    await page.getByRole('link', { name: 'Shelves that can be searched' }).first().click();
    await page.getByRole('button', { name: 'Complete: Finding books' }).click();
    await page.getByText('failing tests').waitFor();
    await page.getByText('search looks through titles').waitFor();
    await visitor.expectAccessible();
  });

  it('are found by name and by state, and the address says what is looked for', async () => {
    const { page } = visitor;
    await visitor.open('/runs?status=cancelled');
    await page.getByRole('link', { name: 'Test' }).first().waitFor();
    await page.getByRole('searchbox').fill('shelves');
    await page.getByText('No run matches').waitFor();
    expect(page.url()).toContain('q=shelves');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('link', { name: 'Shelves that can be searched' }).first().waitFor();
  });

  it('of others are not there', async () => {
    const stranger = await newVisitor(browser, server());
    await visitor.open('/runs');
    const path = await visitor.page
      .getByRole('link', { name: 'Test' })
      .first()
      .getAttribute('href');
    await stranger.open('/runs');
    await stranger.page.getByText('No runs yet').waitFor();
    await stranger.page.goto(server().url + path!);
    await stranger.page.getByRole('alert').waitFor();
    expect(await stranger.page.getByRole('alert').textContent()).toContain('another account');
    await stranger.close();
  });
});
