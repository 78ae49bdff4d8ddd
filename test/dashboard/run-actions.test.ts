import { beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/contract/run-events.ts';
import { chromiumPath, useBrowser } from '../support/browser.ts';
import { closePage } from '../support/close-page.ts';
import { createDataFolder, launchServer } from '../support/chaos/server-process.ts';
import { waitUntil } from '../support/processes.ts';
import { openEvents } from '../support/sse.ts';
import { createRunProject, eventsIn, manifestOf } from '../terminal/run-project.ts';
import type { StartedRun } from '../terminal/run-project.ts';
import { VIEWPORT } from './browser-pages.ts';
import { keepLive, reportLargeRun, reportRun } from './reported-run.ts';
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

/** As it is after a run: what the run wrote into it is no part of a fork. */
const MANIFEST = `feature: Shelves
status: complete
streams:
  a:
    name: About a
    status: complete
    appliedAt: 2026-01-01T00:00:00.000Z
`;

const gate = (file: string) => `until test -f ${file}; do sleep 0.1; done`;

/** Asks the model, waits for a file, and for another before it asks again. */
const GATED = manifestOf([
  { id: 'a', verify: [gate('first')] },
  { id: 'b', deps: ['a'] },
]).replace(
  '    deps: [a]\n',
  `    deps: [a]\n    setup:\n      - ${JSON.stringify(gate('second'))}\n`,
);

/** Read at once: the page may still be moving. */
const FOCUS_IS_IN_FRAME = `(() => {
  const { top, bottom } = document.activeElement.closest('[data-stream]').getBoundingClientRect();
  const frame = document.querySelector('[aria-label="Streams by wave"]').getBoundingClientRect();
  return top >= frame.top && bottom <= frame.bottom;
})()`;

describe.skipIf(chromiumPath === undefined)('what can be done with runs', () => {
  const { server, visitor } = useVisitor();
  const browser = useBrowser();
  /** As the page says it to a reader at another machine. */
  const millrace = (words: string) => `millrace --url ${server().url} ${words}`;
  /** Starts a server of its own on the same database, to be killed. */
  const launcherIn =
    (dataDir: string) =>
    (port = 0) =>
      launchServer({ role: 'api', dataDir, databaseUrl: server().databaseUrl, port });
  beforeAll(async () => {
    await reportRun(server(), visitor().key, 'r-good', { manifest: MANIFEST });
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
    await expect.poll(() => command.textContent()).toBe(millrace("run 'my plan.yaml'"));
    await visitor().expectAccessible();
    await dialog.getByRole('button', { name: 'From a stream' }).click();
    await dialog.getByText('2 streams, about $1.00').waitFor();
    await expect.poll(() => command.textContent()).toBe(millrace("run 'my plan.yaml' --from a"));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Revert changes' }).click();
    await page.getByRole('list', { name: 'Files that go back' }).getByText('out/a.md').waitFor();
    await page.getByRole('list', { name: 'Pending again' }).getByText('About a').waitFor();
    await page.getByText(millrace('revert r-bad')).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Copy as code' }).click();
    await page.getByText(millrace('watch r-bad')).waitFor();
  });

  it('forks a run with another model, or with its manifest in the editor', async () => {
    const { page } = visitor();
    // Its command line did not say which models the calls were for.
    await visitor().open('/runs/r-good?tab=cost');
    await page.getByText('40% of the input was cached').waitFor();
    await page.getByText('$0.0022', { exact: true }).waitFor();
    const models = page.getByRole('region', { name: 'Cost by model' });
    await models.getByRole('row', { name: /^sim-fast 2 / }).waitFor();
    const fork = async () => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Fork' }).click();
    };
    await fork();
    const dialog = page.getByRole('dialog', { name: 'Fork this run' });
    await dialog.getByRole('combobox', { name: 'Model' }).fill('no-such-model');
    await dialog.getByText('but the price of no-such-model is unknown').waitFor();
    await dialog.getByRole('combobox', { name: 'Model' }).fill('sim-fast');
    // 2,000 tokens in, 800 of them cached, and 400 out.
    await dialog.getByText('2 streams, about $0.0098').waitFor();
    const shown = dialog.getByLabel('Command', { exact: true });
    await expect
      .poll(() => shown.textContent())
      .toBe(
        `${millrace('revert r-good')} &&\n  ${millrace("run 'my plan.yaml' --from a --model sim-fast")}`,
      );
    await visitor().expectAccessible();
    await dialog.getByRole('checkbox').uncheck();
    await dialog.getByText(millrace("run 'my plan.yaml' --from a --model sim-fast")).waitFor();
    await dialog.getByRole('button', { name: 'Changed manifest' }).click();
    await dialog.getByText(millrace("run 'my plan-fork.yaml'")).waitFor();
    await dialog.getByRole('button', { name: 'Open in the editor' }).click();
    await page.waitForURL('**/manifests');
    await page.getByText(millrace("run 'my plan-fork.yaml'")).waitFor();
    await page.getByRole('heading', { name: 'Plan: Shelves' }).waitFor();
    const editor = page.getByRole('textbox', { name: 'Manifest' });
    expect(await editor.textContent()).not.toContain('complete');

    await visitor().open('/runs/r-bad');
    await fork();
    await dialog.getByRole('button', { name: 'Changed manifest' }).click();
    await dialog.getByText('did not report its manifest').waitFor();
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
    const model = page.getByRole('cell', { name: 'sim-fast +1' }).first();
    await model.waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await model.waitFor({ state: 'hidden' });
    await page.setViewportSize(VIEWPORT);
    for (const key of ['j', 'j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('2 selected').waitFor();
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('region', { name: 'Streams of both runs' }).getByText('About b').waitFor();
    await expect.poll(() => page.url()).toMatch(/a=r-.*b=r-/);
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Swap' }).click();
    await visitor().open('/compare');
    await page.getByText('Choose two runs').waitFor();
  });

  it('stands still while the page is paused', async () => {
    const { page, context } = visitor();
    const other = await context.newPage();
    await other.goto(`${server().url}/runs/r-open?tab=log`);
    await other.getByText('8 events').waitFor();
    await other.getByRole('button', { name: 'Pause live updates' }).click();
    const body = { name: 'Shelves', events: notes(9, 12), summary: SUMMARY };
    const path = '/api/v1/runs/r-open/events';
    expect((await server().call('POST', path, { key: visitor().key, body })).status).toBe(200);
    await keepLive(server(), 'r-open');
    // The same events have come to another page by then.
    await visitor().open('/runs/r-open?tab=log');
    await page.getByText('12 events').waitFor();
    await other.getByText(/^Paused at/).waitFor();
    await expect.poll(() => other.getByText('8 events').count()).toBe(1);
    await other.getByRole('button', { name: 'Resume live updates' }).click();
    await other.getByText('12 events').waitFor();
    await closePage(other);
  });

  it('goes on without a gap when its server is killed and started again', async () => {
    const folder = await createDataFolder();
    const launch = launcherIn(folder.path);
    let process = launch();
    const project = await createRunProject(server());
    let running: StartedRun | undefined;
    try {
      const url = await process.ready();
      project.settings['MILLRACE_API_KEY'] = visitor().key;
      project.settings['MILLRACE_URL'] = url;
      await project.write('plan.yaml', GATED);
      running = project.start(['run', 'plan.yaml', '--yes', '--json', '--progress', 'json']);
      const { stdout, ended } = running;
      await waitUntil(() => stdout().includes('"run.started"'), 'the start of the run');
      const { runId } = JSON.parse(stdout().split('\n')[0]!) as { runId: string };
      const seen = async (text: string) => {
        const found = await server().db.query(
          'select 1 from run_events where run_id = $1 and strpos(event, $2) > 0',
          [runId, text],
        );
        return found.rows.length > 0;
      };
      // The server has been told that the gate is waited for, and the page shows it.
      await waitUntil(() => seen('test -f first'), 'a report of the first gate');
      const [cookie] = await visitor().context.cookies();
      const context = await browser.newContext();
      await context.addCookies([{ name: cookie!.name, value: cookie!.value, url }]);
      const page = await context.newPage();
      await page.goto(`${url}/runs/${runId}`);
      await page.getByRole('button', { name: 'Running: About a' }).waitFor();
      // The last part of the page that it asks the server for.
      await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor();

      await process.kill('SIGKILL');
      await page.getByText(/^Reconnecting|^Offline/).waitFor();
      await project.write('first', '');
      // It goes on without the server, until it would ask the model again.
      await waitUntil(() => stdout().includes('test -f second'), 'the second gate');
      expect(await seen('test -f second')).toBe(false);
      process = launch(Number(new URL(url).port));
      await process.ready();
      await project.write('second', '');
      expect(await ended, running.stderr()).toBe(0);

      const journal = eventsIn(stdout()).filter(({ type }) => type !== 'stream.progress');
      const expected = journal.map(({ seq }) => seq);
      expect(expected).toEqual(expected.map((_, index) => index + 1));
      const reader = await openEvents(`${url}/api/v1/events?topics=run:${runId}`, {
        'x-api-key': visitor().key,
      });
      const told: RunEvent[] = [];
      await reader.until(({ data }) => {
        told.push(...((data['data'] as { events?: RunEvent[] }).events ?? []));
        return told.some(({ type }) => type === 'run.completed');
      });
      reader.close();
      expect(told).toEqual(journal);

      await page.getByRole('button', { name: 'Complete: About b' }).waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByRole('tab', { name: 'JSON' }).click();
      const download = page.getByRole('button', { name: `${expected.length} events` });
      const { text } = await savedFrom(page, () => download.click());
      expect(eventsIn(text).map(({ seq }) => seq)).toEqual(expected);
      await context.close();
    } finally {
      running?.child.kill('SIGKILL');
      await running?.ended;
      await process.kill('SIGKILL');
      await folder.remove();
      await project.remove();
    }
  });

  it('what could not be loaded is loaded when the server is back', async () => {
    const folder = await createDataFolder();
    const launch = launcherIn(folder.path);
    let process = launch();
    try {
      const url = await process.ready();
      const [cookie] = await visitor().context.cookies();
      const context = await browser.newContext({ viewport: VIEWPORT });
      await context.addCookies([{ name: cookie!.name, value: cookie!.value, url }]);
      const page = await context.newPage();
      const other = await context.newPage();
      await page.goto(`${url}/runs`);
      await other.goto(`${url}/runs`);
      for (const each of [page, other]) {
        await each.getByRole('link', { name: 'Shelves' }).first().waitFor();
        await each.getByText('Live', { exact: true }).waitFor();
      }
      await process.kill('SIGKILL');
      // Of one the code is missing, of the other what it shows.
      await page.getByRole('link', { name: 'System', exact: true }).click();
      await other.getByRole('link', { name: 'Shelves' }).first().click();
      for (const each of [page, other]) await each.getByText('This could not be loaded').waitFor();
      process = launch(Number(new URL(url).port));
      await process.ready();
      await page.getByRole('heading', { name: 'System', level: 1 }).waitFor();
      await other.getByText('About a').first().waitFor();
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

    await keepLive(server(), 'r-open');
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

  it('prints a command that runs just what the dialog says', async () => {
    const { page } = visitor();
    const project = await createRunProject(server());
    project.settings['MILLRACE_API_KEY'] = visitor().key;
    try {
      const streams = [
        { id: 'a' },
        { id: 'b', deps: ['a'], verify: ['test -f tests-are-green'] },
        { id: 'c', deps: ['b'] },
        { id: 'd' },
      ];
      await project.write('plan.yaml', manifestOf(streams));
      const first = ['run', 'plan.yaml', '--yes', '--max-attempts', '1'];
      const json = ['--json', '--progress', 'json'];
      const failed = await project.millrace([...first, ...json]);
      expect(failed.code).toBe(1);
      const [started] = eventsIn(failed.stdout) as [Extract<RunEvent, { type: 'run.started' }>];
      await visitor().open(`/runs/${started.runId}`);
      await page.getByRole('button', { name: 'Run again' }).click();
      const namesIn = (list: string) =>
        page.getByRole('list', { name: list }).getByRole('listitem').allTextContents();
      expect(await namesIn('Run again')).toEqual(['About b', 'About c']);
      expect(await namesIn('Reused as they are')).toEqual(['About a', 'About d']);
      const command = await page.getByLabel('Command', { exact: true }).textContent();
      expect(command).toBe(millrace('run plan.yaml --max-attempts 1'));

      await project.write('tests-are-green', '');
      const again = await project.millrace([...command!.split(' ').slice(1), ...json]);
      expect(again.code, again.stderr).toBe(0);
      const ran = eventsIn(again.stdout).flatMap((event) =>
        event.type === 'stream.started' ? [event.stream] : [],
      );
      expect(ran).toEqual(['b', 'c']);
    } finally {
      await project.remove();
    }
  });
});
