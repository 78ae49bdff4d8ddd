// The pages of runners and of what they are asked for, with runners that are only said to be there.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/permissions.ts';
import type { TakenRequest } from '../../src/contract/runner-api.ts';
import { newPerson } from '../accounts/people.ts';
import { announce, findRequest, requestRun } from '../runners/fake-runner.ts';
import { chromiumPath } from '../support/browser.ts';
import { makeRunnerWorld } from '../runners/runner-world.ts';
import type { RunnerWorld } from '../runners/runner-world.ts';
import { NO_SANDBOX } from '../sandbox/world.ts';
import { VIEWPORT } from './browser-pages.ts';
import { useVisitor } from './use-visitor.ts';
import { newViewer } from './visitor.ts';

const HOSTILE = '<img src=x onerror=alert(1)> \u202e$(rm -rf ~)';

describe.skipIf(chromiumPath === undefined)('runners, in the dashboard', () => {
  const { server, visitor } = useVisitor();
  let key: string;
  beforeAll(async () => {
    ({ key } = await server().createKey({ email: visitor().person.email, scopes: [...SCOPES] }));
  });
  const start = () => `millrace --url ${server().url} runner --project .`;

  it('are shown as they come, with the command that starts the first one', async () => {
    const { page } = visitor();
    await visitor().open('/runners');
    const command = page.getByLabel('Command that starts a runner', { exact: true });
    await expect.poll(() => command.textContent()).toBe(start());
    await visitor().expectAccessible();
    const missing = [{ what: 'A sandbox for its commands', remedy: 'sudo apt install bubblewrap' }];
    await announce(server(), key, {
      name: 'build-2',
      version: '0.0.1',
      labels: ['gpu'],
      agents: ['built-in'],
      projects: [
        { name: 'shop', branch: HOSTILE, manifests: ['millrace.yaml', 'docs.millrace.yaml'] },
        { name: 'api', commands: 'host', inPlace: true, missing },
      ],
    });
    await page.getByRole('heading', { name: 'build-2 Connected' }).waitFor();
    await page.getByText('Not that of the server: update it').click();
    const update = page.getByLabel('Command that updates build-2', { exact: true });
    expect(await update.textContent()).toContain('npm install --global');
    await page.getByText(/The server has version \d/).waitFor();
    const here = page.getByRole('list', { name: 'Projects of build-2' });
    await here.getByText('Missing: A sandbox for its commands').waitFor();
    const remedy = here.getByLabel('What would help api', { exact: true });
    expect(await remedy.textContent()).toBe('sudo apt install bubblewrap');
    await here.getByText('commands run on the machine itself').waitFor();
    await here.getByText('Allow work in its folder').click();
    const allow = here.getByLabel('Command that allows work in shop', { exact: true });
    expect(await allow.textContent()).toBe('millrace runner allow shop --in-place');
    expect(await here.textContent()).toContain('<img src=x');
    expect(await page.locator('img[src=x]').count()).toBe(0);
    await visitor().expectAccessible();
  });

  it('are drained, taken again and removed by buttons', async () => {
    const { page } = visitor();
    const runner = await announce(server(), key, { name: 'spare', projects: [{ name: 'lab' }] });
    await visitor().open('/runners');
    await page.getByRole('heading', { name: 'spare Connected' }).waitFor();
    await page.getByRole('button', { name: 'Drain: spare' }).click();
    await page.getByRole('heading', { name: 'spare Draining' }).waitFor();
    expect((await runner.poll()).body).toMatchObject({ draining: true });
    // Away it still is one that takes nothing, which the button can change.
    const long = `update runners set seen_at = now() - interval '1 hour' where id = $1`;
    await server().db.query(long, [runner.id]);
    await visitor().open('/runners');
    await page.getByRole('heading', { name: 'spare Away Draining' }).waitFor();
    await visitor().expectAccessible();
    await runner.poll();
    await page.getByRole('button', { name: 'Take again: spare' }).click();
    await page.getByRole('heading', { name: 'spare Connected' }).waitFor();
    await page.getByRole('button', { name: 'Remove spare' }).click();
    await visitor().expectAccessible();
    await page.keyboard.press('Escape');
    expect((await runner.poll()).status).toBe(200);
    await page.getByRole('button', { name: 'Remove spare' }).click();
    await page.getByRole('button', { name: 'Remove the runner' }).click();
    await page.getByText('spare was removed.').waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Remove spare' }).count()).toBe(0);
    expect((await runner.poll()).status).toBe(409);
    // What was asked for in its project would wait.
    await page.getByText('No runner has it any more').waitFor();
  });

  it('get what the form asks for: a manifest, YAML, and where it is allowed in place', async () => {
    const { page } = visitor();
    const runner = await announce(server(), key, {
      name: 'three',
      agents: ['built-in', 'codex'],
      projects: [
        { name: 'shop', manifests: ['millrace.yaml'] },
        { name: 'wiki', inPlace: true },
      ],
    });
    await visitor().open('/runners');
    const manifests = page.getByRole('list', { name: 'Manifests of shop' });
    await manifests.getByRole('link', { name: 'millrace.yaml', exact: true }).click();
    await page.getByRole('heading', { name: 'New run' }).waitFor();
    await visitor().expectAccessible();
    expect(await page.getByLabel('Work in the folder of the project').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('codex');
    await page.getByRole('spinbutton', { name: 'Budget in dollars' }).fill('2.5');
    const branch = page.getByRole('textbox', { name: 'Branch' });
    await branch.fill('main');
    await page.getByText('Must be like millrace/fix-login').waitFor();
    const submit = page.getByRole('button', { name: 'Start the run' });
    expect(await submit.isDisabled()).toBe(true);
    await branch.fill('millrace/two');
    await page.getByLabel('Open a pull request when it is complete').check();
    await submit.click();
    await page.getByRole('heading', { name: 'millrace.yaml' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    expect(await findRequest(server(), key, id)).toMatchObject({
      work: {
        project: 'shop',
        manifest: { path: 'millrace.yaml' },
        agent: 'codex',
        maxCostUsd: 2.5,
        branch: 'millrace/two',
        openRequest: true,
      },
    });
    await page.getByText('A runner is about to take it.').waitFor();
    await visitor().expectAccessible();
    const [taken] = (await runner.take({ busy: ['wiki'] })) as [TakenRequest];
    expect(taken.id).toBe(id);
    await runner.say(taken, 'progress', { runId: 'run_shown' });
    await page.getByRole('link', { name: 'Open the run' }).waitFor();
    await runner.say(taken, 'end', {
      status: 'failed',
      outcome: {
        failure: 'refused',
        message: `\u001b[31mno\u001b[0m ${HOSTILE}`,
        remedy: 'millrace runner allow shop --host example.com',
        requestUrl: 'javascript:alert(1)',
      },
    });
    await page.getByRole('heading', { name: 'The runner may not do it' }).waitFor();
    const remedy = page.getByLabel('Command for the owner of the runner', { exact: true });
    expect(await remedy.textContent()).toContain('--host example.com');
    expect(await page.getByRole('link', { name: 'javascript:' }).count()).toBe(0);
    await visitor().expectAccessible();
    // The same again, in another project, as YAML and in its folder.
    await page.getByRole('link', { name: 'Ask again' }).click();
    await page.getByRole('combobox', { name: 'Project' }).selectOption('wiki');
    await page.getByRole('button', { name: 'YAML' }).click();
    await page.getByRole('textbox', { name: 'Manifest in YAML' }).fill('feature: X\n');
    await page.getByLabel('Work in the folder of the project').check();
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.getByRole('heading', { name: 'A manifest' }).waitFor();
    const again = new URL(page.url()).pathname.split('/').at(-1)!;
    const { work } = await findRequest(server(), key, again);
    expect(work).toMatchObject({ project: 'wiki', inPlace: true, maxCostUsd: 2.5 });
    expect(work).toMatchObject({ manifest: { text: 'feature: X\n' } });
    expect(work).not.toHaveProperty('branch');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel the request' }).click();
    await page.getByText('It was cancelled before it began.').waitFor();
  });

  it('say what is wrong with what was asked, beside it', async () => {
    const { page } = visitor();
    await announce(server(), key);
    await visitor().open('/requests/new?project=shop');
    await page.getByRole('textbox', { name: 'Task' }).fill('x');
    await page.getByRole('combobox', { name: 'Model' }).fill('no such model; ls');
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.getByText('has characters that no model has').first().waitFor();
    visitor().forgetRefusals();
  });

  it('are chosen by labels, and say how to start one where none takes runs', async () => {
    const { page } = visitor();
    const runner = await announce(server(), key, {
      name: 'five',
      labels: ['gpu', 'big'],
      projects: [{ name: 'lab' }],
    });
    await server().call('PATCH', `/v1/runners/${runner.id}`, { key, body: { draining: true } });
    await visitor().open('/requests/new?project=lab');
    const command = page.getByLabel('Command that starts a runner of lab', { exact: true });
    expect(await command.textContent()).toBe(`${start()}=lab`);
    await page.getByRole('textbox', { name: 'Task' }).fill('x');
    const labels = page.getByRole('textbox', { name: 'Labels of the runner' });
    await page.getByText('Its runners have big, gpu').waitFor();
    await labels.fill('gpu, fpga');
    await page.getByText('No runner of the project has fpga: the run waits for one.').waitFor();
    await visitor().expectAccessible();
    await labels.fill('gpu, no/label');
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.getByText('must be lower-case letters and digits').first().waitFor();
    visitor().forgetRefusals();
    await labels.fill('GPU big');
    await page.getByRole('spinbutton', { name: 'Priority' }).fill('-7');
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.getByText('five: takes nothing new.').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    const { work } = await findRequest(server(), key, id);
    expect(work).toMatchObject({ project: 'lab', labels: ['gpu', 'big'], priority: -7 });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel the request' }).click();
    await page.getByRole('link', { name: 'Ask again' }).click();
    await expect.poll(() => labels.inputValue()).toBe('gpu, big');
    await server().call('PATCH', `/v1/runners/${runner.id}`, { key, body: { draining: false } });
    await expect.poll(() => command.count()).toBe(0);
  });

  it('fit on a narrow screen and are reached by keys', async () => {
    const { page } = visitor();
    await announce(server(), key, { name: 'four' });
    await requestRun(server(), key);
    await visitor().open('/runs');
    // The keys may come later than the page.
    const pressed = async () => {
      await page.keyboard.press('g');
      await page.keyboard.press('w');
      return new URL(page.url()).pathname;
    };
    await expect.poll(pressed).toBe('/runners');
    await page.locator('h1:focus').getByText('Runners').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Search pages/ }).fill('New run');
    await page.getByRole('option', { name: 'New run', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New run' }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    try {
      // What is in a list of choices is not seen before that is open.
      const shown = {
        '/runners': page.getByRole('heading', { name: 'shop' }),
        '/requests/new': page.getByRole('combobox', { name: 'Project' }),
      };
      for (const [path, part] of Object.entries(shown)) {
        await visitor().open(path);
        await part.waitFor();
        const wide = 'document.documentElement.scrollWidth > window.innerWidth';
        expect(await page.evaluate(wide), path).toBe(false);
        await visitor().expectAccessible();
      }
    } finally {
      await page.setViewportSize(VIEWPORT);
    }
  });
});

describe.skipIf(chromiumPath === undefined)('requests, in the dashboard', () => {
  const { server, visitor } = useVisitor();
  let key: string;
  let id: string;
  beforeAll(async () => {
    ({ key } = await server().createKey({ email: visitor().person.email, scopes: [...SCOPES] }));
    await announce(server(), key, {});
    id = await requestRun(server(), key, { manifest: undefined, task: HOSTILE });
  });

  it('are listed by state and project', async () => {
    const { page } = visitor();
    await visitor().open('/runners?status=open');
    const rows = page.getByRole('region', { name: 'Requests' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(1);
    await server().call('POST', `/v1/run-requests/${id}/cancel`, { key });
    await page.getByText('No request matches').waitFor();
    await page.getByRole('combobox', { name: 'State' }).selectOption('cancelled');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByText('Last requests').click();
    await page.getByRole('list', { name: 'Projects' }).getByText('Cancelled').waitFor();
    await visitor().expectAccessible();
  });

  it('are looked at by viewers, who start nothing, and by no strangers', async () => {
    const viewer = await newViewer(server(), visitor().person);
    await viewer.open('/runners');
    await viewer.page.getByRole('heading', { name: 'build Connected' }).waitFor();
    for (const name of ['New run', 'Drain: build', 'Remove build']) {
      expect(await viewer.page.getByRole('button', { name }).count(), name).toBe(0);
      expect(await viewer.page.getByRole('link', { name }).count(), name).toBe(0);
    }
    await viewer.open(`/requests/${id}`);
    await viewer.page.getByText('What was asked for').waitFor();
    expect(await viewer.page.getByRole('link', { name: 'Ask again' }).count()).toBe(0);
    await viewer.open('/requests/new');
    await viewer.page.getByText('You are a viewer of this team').waitFor();
    viewer.expectQuiet();
    await viewer.close();
    const stranger = await newPerson(server());
    const found = await stranger.call('GET', `/v1/run-requests/${id}`);
    expect(found.status).toBe(403);
  });
});

const PATIENCE = { timeout: 60_000 };

describe.skipIf(chromiumPath === undefined || NO_SANDBOX !== undefined)('a real runner', () => {
  const { server, visitor } = useVisitor();
  let world: RunnerWorld;
  beforeAll(() => {
    world = makeRunnerWorld();
  });
  afterAll(() => world.remove());

  it('makes a run from a sentence, and takes it back by a button', async () => {
    const { page, person } = visitor();
    const { key } = await server().createKey({ email: person.email, scopes: ['runner'] });
    const { folder, git } = world.repository('shop', { 'src/a.ts': 'export const a = 1;\n' });
    await visitor().open('/runners');
    await page.getByText('No runners yet').waitFor();
    const runner = await world.start(server(), key, { name: 'one', args: ['--project', folder] });
    await page.getByRole('heading', { name: 'one Connected' }).waitFor(PATIENCE);
    await page.getByRole('link', { name: 'New run in shop' }).click();
    await page.getByRole('textbox', { name: 'Task' }).fill('Change a; rm -rf $(pwd) `id`');
    await page.getByRole('combobox', { name: 'Model' }).fill('sim-instant');
    await page.getByRole('textbox', { name: 'Branch' }).fill('millrace/words');
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.getByRole('heading', { name: 'Change a; rm -rf' }).waitFor();
    await page.getByRole('heading', { name: 'Outcome' }).waitFor(PATIENCE);
    expect(git('branch', '--list', 'millrace/words')).toContain('millrace/words');
    await page.getByRole('link', { name: 'Open the run' }).click();
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('button', { name: 'Everything' }).click();
    await page.getByRole('button', { name: 'Run it again' }).waitFor();
    await visitor().expectAccessible();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Fix the pull request' }).waitFor();
    await page.getByRole('menuitem', { name: 'Revert changes' }).click();
    await page.getByRole('button', { name: 'Revert the changes' }).click();
    await page.getByRole('heading', { name: 'Revert a run' }).waitFor();
    await page.getByRole('heading', { name: 'Outcome' }).waitFor(PATIENCE);
    expect(git('branch', '--list', 'millrace/words')).toBe('');
    // Killed, it is not asked any more: the page has the command alone.
    await page.getByRole('main').getByRole('link', { name: /^run_/ }).last().click();
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('button', { name: 'Everything' }).click();
    await page.getByRole('button', { name: 'Run it again' }).waitFor();
    await runner.kill();
    await expect
      .poll(() => page.getByRole('button', { name: 'Run it again' }).count(), PATIENCE)
      .toBe(0);
    await page.getByLabel('Command', { exact: true }).waitFor();
  }, 240_000);
});
