import { beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, useBrowser } from '../support/browser.ts';
import { createDataFolder, launchServer } from '../support/chaos/server-process.ts';
import { reportLargeRun, reportRun } from './reported-run.ts';
import { useVisitor } from './use-visitor.ts';
import { savedFrom } from './visitor.ts';

const SUMMARY = { done: 1, failed: 0, total: 2, wave: 2, waves: 2, simulated: false };
const notes = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    v: 1,
    seq: from + index,
    ts: new Date().toISOString(),
    type: 'run.note',
    code: 'X',
    message: `note ${from + index}`,
  }));

/** Read at once: the page may still be moving. */
const FOCUS_IS_IN_FRAME = `(() => {
  const { top, bottom } = document.activeElement.closest('[data-stream]').getBoundingClientRect();
  const frame = document.querySelector('[aria-label="Streams by wave"]').getBoundingClientRect();
  return top >= frame.top && bottom <= frame.bottom;
})()`;

describe.skipIf(chromiumPath === undefined)('what can be done with runs', () => {
  const { server, visitor } = useVisitor();
  const browser = useBrowser();
  beforeAll(async () => {
    await reportRun(server(), visitor().key, 'r-good');
    await reportRun(server(), visitor().key, 'r-bad', { end: 'failed', costUsd: 0.5 });
    await reportRun(server(), visitor().key, 'r-open', { end: 'open' });
  });

  it('says which streams run again, which are reused, what that costs, and the command', async () => {
    const { page } = visitor();
    await visitor().open('/runs/r-bad');
    await page.getByRole('button', { name: 'Run again' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run again' });
    const command = dialog.getByLabel('Command', { exact: true });
    await dialog.getByRole('list', { name: 'Run again' }).getByText('About b').waitFor();
    await dialog.getByRole('list', { name: 'Reused' }).getByText('About a').waitFor();
    await dialog.getByText('1 stream, about $0.500').waitFor();
    expect(await command.textContent()).toBe("millrace run 'my plan.yaml'");
    await visitor().expectAccessible();
    await dialog.getByRole('button', { name: 'From a stream' }).click();
    await dialog.getByText('2 streams, about $1.00').waitFor();
    await dialog.getByLabel('Another model').fill('gpt-next');
    expect(await command.textContent()).toBe(
      "millrace run 'my plan.yaml' --from a --model gpt-next",
    );
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Revert changes' }).click();
    await page.getByText('millrace revert r-bad').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Copy as code' }).click();
    await page.getByText('millrace watch r-bad').waitFor();
  });

  it('shares a run by a link that works without an account until it is revoked', async () => {
    const { page } = visitor();
    await visitor().open('/runs/r-good');
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByText('No link works at the moment').waitFor();
    await page.getByLabel('Also show file names and diffs').check();
    await page.getByRole('button', { name: 'Create link' }).click();
    const link = (await page.getByLabel('link', { exact: true }).textContent())!;
    await visitor().expectAccessible();

    const context = await browser.newContext();
    const guest = await context.newPage();
    const asked: string[] = [];
    guest.on('request', (request) => asked.push(request.url()));
    await guest.goto(link);
    await guest.getByRole('button', { name: 'Complete: About b' }).waitFor();
    await guest.getByRole('tab', { name: 'Timeline' }).click();
    await guest.getByText('Critical path: a → b').waitFor();
    await guest.getByRole('tab', { name: 'Changes' }).click();
    await guest.getByRole('region', { name: 'Diff of out/a.md' }).waitFor();
    expect(asked.join('\n')).not.toContain(link.split('#')[1]);

    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No link works at the moment').waitFor();
    await guest.reload();
    await guest.getByText('This link has expired or was revoked').waitFor();
    await context.close();
  });

  it('draws of a large run what is in view, which is moved by mouse, by buttons and by keyboard', async () => {
    const { page } = visitor();
    await reportLargeRun(server(), visitor().key, 'r-large', 400);
    await visitor().open('/runs/r-large');
    const stream = (number: number) =>
      page.getByRole('button', { name: new RegExp(`^Waiting: Stream ${number}\\b`) });
    await stream(0).waitFor();
    const drawn = await page.locator('[data-stream]').count();
    expect(drawn).toBeGreaterThan(50);
    expect(drawn).toBeLessThan(300);
    expect(await stream(39).count()).toBe(0);
    // Dragged up from a stream, which is no click on it.
    await stream(5).hover();
    await page.mouse.down();
    await page.mouse.move(400, 300, { steps: 3 });
    await page.mouse.move(400, -400, { steps: 3 });
    await page.mouse.up();
    await stream(39).waitFor();
    expect(page.url()).not.toContain('stream=');
    await page.getByRole('button', { name: 'Show all of it' }).click();
    await stream(0).waitFor();
    for (const name of ['Zoom in', 'Zoom in', 'Zoom in', 'Zoom out']) {
      await page.getByRole('button', { name }).click();
    }
    // Tab after Tab, down a column and out of the frame.
    await stream(1).focus();
    for (let presses = 0; presses < 20; presses++) await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate(FOCUS_IS_IN_FRAME)).toBe(true);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/runs/r-large?stream=s*');
  });

  it('compares two runs that were selected with the keyboard', async () => {
    const { page } = visitor();
    await visitor().open('/runs');
    await page.getByRole('link', { name: 'Shelves' }).first().waitFor();
    for (const key of ['j', 'j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('2 selected').waitFor();
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('region', { name: 'Streams of both runs' }).getByText('About b').waitFor();
    expect(page.url()).toMatch(/a=r-.*b=r-/);
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Swap' }).click();
    await visitor().open('/compare');
    await page.getByText('Choose two runs').waitFor();
  });

  it('goes on without a gap after its server was killed, and stands still while it is paused', async () => {
    const folder = await createDataFolder();
    const launch = (port = 0) => {
      const { databaseUrl } = server();
      return launchServer({ role: 'api', dataDir: folder.path, databaseUrl, port });
    };
    let process = launch();
    try {
      const url = await process.ready();
      const { page } = visitor();
      const [cookie] = await visitor().context.cookies();
      const context = await browser.newContext();
      await context.addCookies([{ name: cookie!.name, value: cookie!.value, url }]);
      const other = await context.newPage();
      const add = async (from: number, to: number) => {
        const events = notes(from, to);
        const body = { name: 'Shelves', events, summary: SUMMARY };
        const path = '/api/v1/runs/r-open/events';
        expect((await server().call('POST', path, { key: visitor().key, body })).status).toBe(200);
      };
      await other.goto(`${url}/runs/r-open?tab=log`);
      await other.getByText('8 events').waitFor();

      await other.getByRole('button', { name: 'Pause live updates' }).click();
      await add(9, 12);
      // The same events have come to another page by then.
      await visitor().open('/runs/r-open?tab=log');
      await page.getByText('12 events').waitFor();
      await other.getByText(/^Paused at/).waitFor();
      expect(await other.getByText('8 events').count()).toBe(1);
      await other.getByRole('button', { name: 'Resume live updates' }).click();
      await other.getByText('12 events').waitFor();

      await process.kill('SIGKILL');
      await other.getByText(/^Reconnecting|^Offline/).waitFor();
      await add(13, 40);
      process = launch(Number(new URL(url).port));
      await process.ready();
      await other.getByText('40 events').waitFor();
      await other.getByText('Live', { exact: true }).waitFor();
      await add(41, 41);
      await other.getByRole('tab', { name: 'JSON' }).click();
      const download = other.getByRole('button', { name: '41 events' });
      const { text } = await savedFrom(other, () => download.click());
      const seqs = text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { seq: number }).seq);
      expect(seqs).toEqual(Array.from({ length: 41 }, (_, index) => index + 1));
      await context.close();
    } finally {
      await process.kill('SIGKILL');
      await folder.remove();
    }
  });

  it('exports what is filtered, and cancels what is selected', async () => {
    const { page } = visitor();
    await visitor().open('/runs?status=failed');
    await page.getByRole('link', { name: 'Shelves' }).first().waitFor();
    const csv = page.getByRole('button', { name: 'CSV' });
    const lines = (await visitor().saved(() => csv.click())).text.trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('r-bad,Shelves,failed');

    await visitor().open('/runs?status=in_progress');
    await page.getByRole('checkbox', { name: 'Select Shelves, r-open' }).check();
    await page.getByRole('button', { name: 'Cancel 1 running' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel 1 run' }).click();
    await page.getByText('1 run being stopped.').waitFor();
    const { rows } = await server().db.query(
      "select 1 from run_reports where run_id = 'r-open' and cancel_requested_at is not null",
    );
    expect(rows).toHaveLength(1);
  });
});
