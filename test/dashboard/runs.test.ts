import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.ts';
import { feature, reply } from '../orchestrator/project.ts';
import { createRunProject, manifestOf } from '../terminal/run-project.ts';
import type { RunProject } from '../terminal/run-project.ts';
import { useVisitor } from './use-visitor.ts';
import { newVisitor } from './visitor.ts';

describe.skipIf(chromiumPath === undefined)('runs in the dashboard', () => {
  const { server, visitor } = useVisitor();
  let project: RunProject;
  beforeAll(async () => {
    project = await createRunProject(server());
    // The person at the browser and the command line are the same.
    project.settings['MILLRACE_API_KEY'] = visitor().key;
  });
  afterAll(async () => {
    await project?.remove();
  });

  it('say how to begin when there are none', async () => {
    await visitor().open('/');
    await visitor().page.getByText('No runs yet').waitFor();
    expect(new URL(visitor().page.url()).pathname).toBe('/runs');
    await visitor().expectAccessible();
  });

  it('appear by themselves, are followed stream by stream, and can be cancelled', async () => {
    const { page } = visitor();
    const streams = [{ id: 'a' }, { id: 'b', deps: ['a'], directives: '[[sim:hang]]' }];
    await project.write('m.yaml', manifestOf(streams, 'sim-fast'));
    const running = project.start(['run', 'm.yaml']);
    // Nobody reloads the page.
    await page.getByRole('link', { name: 'Test' }).first().click();
    await page.getByRole('button', { name: 'Complete: About a' }).waitFor();
    await page.getByRole('button', { name: 'Running: About b' }).click();
    await page.getByRole('complementary', { name: 'Stream About b' }).waitFor();
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText('Cancelled').first().waitFor();
    expect(await running.ended).toBe(130);
  });

  it('show how they failed and how they were healed', async () => {
    const { page } = visitor();
    expect((await project.millrace(['run', 'feature.yaml', '--yes', '--max-cost', '5'])).code).toBe(
      0,
    );
    await visitor().open('/runs');
    await page.getByRole('link', { name: 'Shelves that can be searched' }).first().click();
    await page.getByRole('button', { name: 'Complete: Finding books' }).click();
    const panel = page.getByRole('complementary', { name: 'Stream Finding books' });
    await panel.getByLabel('Answer of the model').getByText('src/search.ts').waitFor();
    await visitor().expectAccessible();
    await panel.getByRole('tab', { name: /^Checks/ }).click();
    await panel.getByText('failing tests').waitFor();
    await visitor().expectAccessible();
    await panel.getByRole('tab', { name: 'Prompt' }).click();
    await panel.getByRole('button', { name: 'Task' }).waitFor();
    await visitor().expectAccessible();
    await panel.getByRole('button', { name: 'Failed: First attempt' }).waitFor();
    await panel.getByText(/^First attempt: .* exited with 1/).waitFor();
    await panel.getByRole('button', { name: 'Complete: Fix 1' }).click();
    const fix = page.getByRole('complementary', { name: 'Stream Finding books, fix 1' });
    await fix.getByRole('tab', { name: /^Changes/ }).click();
    await fix.getByRole('region', { name: 'Diff of src/search.ts' }).waitFor();
  });

  it('are read with the keyboard: from stream to stream, and back to where one was', async () => {
    const { page } = visitor();
    await page.keyboard.press('Escape');
    const node = page.getByRole('button', { name: 'Complete: Finding books' });
    await node.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Stream Finding books' }).waitFor();
    await page.keyboard.press(']');
    await page.getByRole('complementary', { name: 'Stream How to use it' }).waitFor();
    await page.keyboard.press('[');
    await page.getByRole('complementary', { name: 'Stream Finding books' }).waitFor();
    await page.keyboard.press('Escape');
    await page
      .getByRole('complementary', { name: 'Stream Finding books' })
      .waitFor({ state: 'hidden' });
    const focused = () => page.evaluate('document.activeElement.textContent');
    await expect.poll(focused).toContain('Complete: Finding books');
  });

  it('are told by time, by file, by event and by cost', async () => {
    const { page } = visitor();
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('button', { name: /^Finding books.*Complete: .*critical path/ }).focus();
    await page.getByText(/^Finding books: .*model/).waitFor();
    await visitor().expectAccessible();

    await page.getByRole('tab', { name: /^Changes/ }).click();
    await page.getByText('0 of 6 viewed').waitFor();
    const diff = page.getByRole('region', { name: 'Diff of src/search.ts' });
    await diff.locator('.text-violet').getByText('export', { exact: true }).first().waitFor();
    await page.getByText('Review hunk by hunk').click();
    await page.getByText(/review run_\w+ --review-in web/).waitFor();
    await page
      .getByRole('region', { name: 'src/search.ts', exact: true })
      .getByLabel('Viewed')
      .check();
    await page.getByText('1 of 6 viewed').waitFor();
    await page.getByRole('button', { name: 'Split' }).click();
    await page.waitForURL(/diff=split/);
    await page.getByRole('button', { name: 'By stream' }).click();
    await page.waitForURL(/by=stream/);
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Not viewed' }).click();
    expect(await page.getByRole('region', { name: 'src/search.ts', exact: true }).count()).toBe(0);
    const download = page.getByRole('button', { name: '.patch' });
    const { text: patch } = await visitor().saved(() => download.click());
    expect(patch.match(/^diff --git/gm)).toHaveLength(5);
    // Kept in this browser.
    await page.reload();
    await page.getByText('1 of 6 viewed').waitFor();
    for (const name of ['By stream', 'Not viewed', 'Split']) {
      const pressed = page.getByRole('button', { name, exact: true });
      await expect.poll(() => pressed.getAttribute('aria-pressed')).toBe('true');
    }

    await page.getByRole('tab', { name: /^Log/ }).click();
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('strictly deep-equal');
    await page.getByText(/^[1-4] of \d+ events$/).waitFor();
    await page.getByLabel('Level').selectOption('Errors');
    await page.waitForURL(/q=strictly.*level=error/);
    await page.reload();
    await page.getByText(/^[1-4] of \d+ events$/).waitFor();
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('strictly deep-equal');
    await visitor().expectAccessible();
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('nowhere to be found');
    await page.getByText('No event matches').waitFor();

    await page.getByRole('tab', { name: 'Cost' }).click();
    await page.getByText('with 1 fix').waitFor();
    await page.getByRole('meter', { name: 'Budget used' }).waitFor();
    await page.getByText('$5.00', { exact: true }).waitFor();
    const models = page.getByRole('region', { name: 'Cost by model' });
    await models.getByText('sim-', { exact: false }).waitFor();
    await visitor().expectAccessible();
    await page.getByRole('tab', { name: 'JSON' }).click();
    await page.getByLabel('The run as JSON').waitFor();
    await visitor().expectAccessible();
  });

  it('show the manifest that they were made from, which can be edited', async () => {
    const { page } = visitor();
    await page.getByRole('tab', { name: 'Manifest' }).click();
    const shown = page.getByLabel('Text of the manifest');
    await shown.getByText('feature', { exact: true }).waitFor();
    await visitor().expectAccessible();
    const download = page.getByRole('button', { name: 'Download' });
    const { name, text } = await visitor().saved(() => download.click());
    expect(name).toBe('feature.yaml');
    expect(text).toContain('feature: Shelves that can be searched');
    await page.getByRole('button', { name: 'Open in the editor' }).click();
    await page.getByText('Plan: Shelves that can be searched').waitFor();
    await page.goBack();
    await shown.waitFor();
  });

  it('name the models of a ladder, and which one completed a stream', async () => {
    const { page } = visitor();
    const plan = `${reply({ 'l.txt': 'bad\n' })} ${reply({ 'l.txt': 'good\n' }, 'l-fix-1')}`;
    const stream = { name: 'Climbing', owns: ['l.txt'], plan, verify: ['grep -q good l.txt'] };
    const models = ['sim-instant', 'sim-standard'];
    await project.write('l.yaml', feature({ l: stream }, { feature: 'Ladder', models }));
    expect((await project.millrace(['run', 'l.yaml', '--yes'])).code).toBe(0);
    await visitor().open('/runs');
    await page.getByRole('link', { name: 'Ladder' }).first().click();
    await page.getByText('Completed by').waitFor();
    await page.getByText('sim-standard 1').waitFor();
    await page.getByText('Fix, attempt 2 of 3, sim-standard').click();
    const fix = page.getByRole('complementary', { name: 'Stream Climbing, fix 1' });
    await fix.getByText('sim-standard (model 2 of 2)').waitFor();
    await fix.getByRole('button', { name: 'First attempt sim-instant' }).waitFor();
    await visitor().expectAccessible();
  });

  it('are found by name and by state, and the address says what is looked for', async () => {
    const { page } = visitor();
    await visitor().open('/runs?status=cancelled');
    await page.getByRole('link', { name: 'Test' }).first().waitFor();
    await page.getByRole('searchbox').fill('shelves');
    await page.getByText('No run matches').waitFor();
    await expect.poll(() => page.url()).toContain('q=shelves');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('link', { name: 'Shelves that can be searched' }).first().waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    const time = page.getByLabel('Time');
    await time.selectOption('Last 7 days');
    await expect.poll(() => page.url()).toContain('days=7');
    await page.goBack();
    await expect.poll(() => page.url()).not.toContain('days');
    await expect.poll(() => time.inputValue()).toBe('');
  });

  it('of others are not there', async () => {
    const stranger = await newVisitor(server());
    await visitor().open('/runs');
    const path = await visitor()
      .page.getByRole('link', { name: 'Test' })
      .first()
      .getAttribute('href');
    await stranger.open('/runs');
    await stranger.page.getByText('No runs yet').waitFor();
    const asked: string[] = [];
    stranger.page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await stranger.page.goto(server().url + path!);
    await stranger.page.getByRole('alert').waitFor();
    await expect
      .poll(() => stranger.page.getByRole('alert').textContent())
      .toContain('another account');
    // A restart would not change this answer, so nothing waits for one.
    await stranger.page.evaluate(`fetch('/healthz').then(() => undefined)`);
    expect(asked).toContain('/healthz');
    expect(asked).not.toContain('/readyz');
    await stranger.close();
  });
});
