// Every command that a page of the dashboard shows is pasted into a shell, by a reader at the machine of the server.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, useBrowser } from '../support/browser.ts';
import { startServe } from '../support/cli.ts';
import type { ServeProcess } from '../support/cli.ts';
import { manifestOf } from '../terminal/run-project.ts';
import { newDesk, problemsOf, quoted } from './paste.ts';
import type { Desk } from './paste.ts';
import { fromRoot } from '../pins/tree.ts';

/** Blocks of code that begin with the launcher: one command a line, unless it goes on. */
async function commandsOn(page: Page): Promise<string[]> {
  const launcher = fromRoot('millrace');
  const blocks = await page.locator('code, pre').allTextContents();
  return blocks
    .filter((text) => text.startsWith(launcher))
    .flatMap((text) => text.replaceAll(/&&\n\s*/g, '&& ').split('\n'))
    .filter((line) => line.startsWith(launcher));
}

describe.skipIf(chromiumPath === undefined)('commands on pages', () => {
  const browser = useBrowser();
  let desk: Desk;
  let server: ServeProcess;
  let project: string;
  beforeAll(async () => {
    desk = await newDesk();
    project = join(desk.base, 'project');
    await mkdir(project);
    const dataDir = join(desk.base, 'the data');
    server = await startServe(['--port', '0', '--data-dir', dataDir], desk.settings);
    const streams = [{ id: 'good' }, { id: 'bad', verify: ['false'] }];
    await writeFile(join(project, 'my plan.yaml'), manifestOf(streams, ''));
    await writeFile(join(project, 'millrace.yaml'), manifestOf([{ id: 'good' }]));
  });
  afterAll(async () => {
    await server?.kill('SIGTERM');
    await desk?.remove();
  });

  it('can be pasted, and act on the server of the page', async () => {
    const launcher = [quoted(desk.launcher), '--data-dir', quoted(join(desk.base, 'the data'))];
    const call = (line: string) => desk.paste([...launcher, line].join(' '), { cwd: project });
    const { setupUrl } = server.ready as unknown as { setupUrl: string };
    const page = await browser.newPage();
    await page.goto(setupUrl);
    await page.getByLabel('Email').fill('me@example.com');
    await page.getByLabel('Password').first().fill('tulpe wagen regen 42');
    await page.keyboard.press('Enter');
    await page.getByText('Open the dashboard').click();
    await page.getByText('Live', { exact: true }).waitFor();

    const seen = new Set<string>();
    const note = async () => {
      for (const line of await commandsOn(page)) seen.add(line);
    };
    const open = async (path: string) => {
      await page.goto(new URL(path, server.ready.url!).href);
      await page.locator('main h1').first().waitFor();
    };
    // Before there is anything: how to begin.
    for (const path of ['/runs', '/executions', '/settings/webhooks']) {
      await open(path);
      await expect.poll(() => commandsOn(page)).not.toEqual([]);
      await note();
    }
    await open('/connect');
    const ways = page.getByRole('tablist', { name: 'Ways to connect' }).getByRole('tab');
    for (const way of await ways.all()) {
      await way.click();
      await note();
    }
    await open('/manifests');
    await expect.poll(() => commandsOn(page)).not.toEqual([]);
    await note();

    await call("run 'my plan.yaml' --yes --model sim-instant --max-attempts 1");
    const ran = JSON.parse((await call('history --json --limit 1')).stdout) as {
      items: { id: string }[];
    };
    await open(`/runs/${ran.items[0]!.id}`);
    const dialogs = [
      async () => page.getByRole('button', { name: 'Run again' }).click(),
      ...['Revert changes', 'Fork', 'Copy as code'].map((name) => async () => {
        await page.getByRole('button', { name: 'More' }).click();
        await page.getByRole('menuitem', { name }).click();
        // A fork is with a model of one's choice.
        if (name === 'Fork') await page.getByRole('combobox', { name: 'Model' }).fill('sim-fast');
      }),
    ];
    for (const openDialog of dialogs) {
      await openDialog();
      await expect.poll(() => commandsOn(page)).not.toEqual([]);
      await note();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }

    const done = await call("exec 'Add a page' --wait --json --model sim-instant");
    const { id } = JSON.parse(done.stdout) as { id: string };
    await open(`/executions/${id}?tab=changes`);
    await expect.poll(() => commandsOn(page)).not.toEqual([]);
    await note();
    await open(`/executions/${id}?tab=copy`);
    await expect.poll(() => commandsOn(page)).not.toEqual([]);
    await note();

    // Two lines are one task, pasted as they are.
    const twoLines = "Say 'hello',\nthen say bye";
    const asked = `exec --wait --json --model sim-instant - <<'X'\n${twoLines}\nX`;
    const first = JSON.parse((await call(asked)).stdout) as { id: string; task: string };
    expect(first.task.trim()).toBe(twoLines);
    await open(`/executions/${first.id}?tab=copy`);
    const block = page.locator('pre', { hasText: 'END_OF_TASK' }).first();
    const pasted = await desk.paste(await block.innerText(), { cwd: project });
    expect(pasted.code, pasted.stderr).toBe(0);
    const again = await call(`exec get ${pasted.stdout.trim()} --json`);
    expect((JSON.parse(again.stdout) as { task: string }).task.trim()).toBe(twoLines);

    const lines = [...seen];
    // A new manifest is about nothing on the server.
    const acting = lines.filter((line) => !line.endsWith(' init'));
    expect(
      acting.filter((line) => !line.includes(`--data-dir '${join(desk.base, 'the data')}'`)),
    ).toEqual([]);
    const wrong: string[] = [];
    for (const line of lines) wrong.push(...(await problemsOf(desk, line, project)));
    expect(wrong).toEqual([]);
    for (const word of [
      'init',
      'exec',
      'mcp install',
      'webhooks listen',
      'plan',
      'run',
      'revert',
      'watch',
      'diff',
      'apply',
    ]) {
      expect(lines.join('\n')).toMatch(new RegExp(` ${word}\\b`));
    }
  });
});
