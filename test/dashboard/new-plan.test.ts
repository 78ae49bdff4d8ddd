// The page that turns words into a manifest. The editor of the text is CodeMirror, which draws only the lines in
// view: what the text is, the draft in the storage of the browser says.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { parseManifest } from '../../src/manifest/text/parse.ts';
import { chromiumPath } from '../support/browser.ts';
import { useVisitor } from './use-visitor.ts';
import { newViewer, newVisitor } from './visitor.ts';

const PLAN = `# hubs: package.json goes to one early stream
feature: Search for books
streams:
  schema:
    name: What a book is # short
    owns: [src/book.ts, package.json]
    plan: Give a book a title.

  # overlaps: waits for nothing
  search:
    name: Finding books
    owns: [src/search.ts]
    plan: |
      Find books.

      Whatever the case.
    verify:
      - npm test

  tests:
    name: Tests
    deps: [search]
    owns: [test/]
`;

async function draftOf(page: Page): Promise<{ task: string; yaml?: string }> {
  const kept = await page.evaluate(() => localStorage.getItem('millrace.new'));
  return JSON.parse(kept ?? '{}') as { task: string; yaml?: string };
}

const node = (page: Page, id: string): Locator => page.locator(`[data-stream="${id}"]`);

interface Placed {
  dataset: Record<string, string | undefined>;
  offsetLeft: number;
  offsetTop: number;
}

/** The column of each stream, from left to right. */
async function wavesOf(page: Page): Promise<string[][]> {
  const places = await page.locator('[data-stream]').evaluateAll((nodes) =>
    (nodes as Placed[]).map(({ dataset, offsetLeft, offsetTop }) => ({
      id: dataset['stream']!,
      x: offsetLeft,
      y: offsetTop,
    })),
  );
  const columns = Map.groupBy(places, ({ x }) => x);
  return [...columns]
    .sort(([a], [b]) => a - b)
    .map(([, nodes]) => nodes.toSorted((a, b) => a.y - b.y).map(({ id }) => id));
}

/** As a hand does it: a browser takes a drag for one only after some way. */
async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  await from.scrollIntoViewIfNeeded();
  await to.scrollIntoViewIfNeeded();
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  await page.mouse.move(start!.x + 20, start!.y + 8);
  await page.mouse.down();
  await page.mouse.move(start!.x + 40, start!.y + 12, { steps: 4 });
  await page.mouse.move(end!.x + 40, end!.y + 30, { steps: 8 });
  await page.mouse.up();
}

async function moveByMenu(page: Page, { entry, to }: { entry: string; to: string }) {
  await page.getByRole('button', { name: `Move ${entry} to another stream` }).press('Enter');
  await page.getByRole('menuitem', { name: to, exact: true }).press('Enter');
}

/** Pasted into a shell, it writes the file, and does not replace one that is there. */
async function savesOnce(command: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-new-'));
  const paste = () => promisify(execFile)('/bin/sh', ['-c', command], { cwd: folder });
  const file = join(folder, 'millrace.yaml');
  try {
    await paste();
    expect(await readFile(file, 'utf8')).toBe(PLAN);
    await writeFile(file, 'mine');
    await expect(paste()).rejects.toThrow('millrace.yaml');
    expect(await readFile(file, 'utf8')).toBe('mine');
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe.skipIf(chromiumPath === undefined)('a new plan', () => {
  const { server, visitor } = useVisitor();

  /** As if it had been planned before. */
  async function openWith(yaml: string): Promise<Page> {
    const { page } = visitor();
    await visitor().open('/usage');
    await page.evaluate((text) => {
      const draft = { task: 'Search', model: '', maxSteps: '10', yaml: text, planned: text };
      localStorage.setItem('millrace.new', JSON.stringify(draft));
    }, yaml);
    await visitor().open('/new');
    await page.locator('.cm-content').waitFor();
    return page;
  }

  const textIs = (page: Page, text: string) =>
    expect.poll(async () => (await draftOf(page)).yaml).toBe(text);

  it('is made from words, and is there again after a reload', async () => {
    const { page } = visitor();
    await visitor().open('/runs');
    await page.getByRole('link', { name: 'New', exact: true }).click();
    await page.getByRole('textbox', { name: 'Task' }).fill('Add a health endpoint');
    await page.getByRole('combobox', { name: 'Model' }).fill('sim-instant');
    await page.getByLabel('Files that matter').setInputFiles([
      { name: 'app.ts', mimeType: 'text/plain', buffer: Buffer.from('export const app = 1;\n') },
      { name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from([137, 80, 0, 1]) },
    ]);
    await page.getByText('logo.png was left out: it is no text file.').waitFor();
    await page.getByLabel('Path of app.ts in the project').fill('src/app.ts');
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.locator('[data-stream]').first().waitFor();
    await visitor().expectAccessible();
    const { yaml } = await draftOf(page);
    expect(parseManifest(yaml!)).toMatchObject({ kind: 'manifest', manifest: { notation: 'B' } });
    const listed = await server().call('GET', '/v1/executions?limit=1', { key: visitor().key });
    const [{ id }] = listed.body['items'] as [{ id: string }];
    const made = await server().call('GET', `/v1/executions/${id}`, { key: visitor().key });
    expect(made.body).toMatchObject({ dryRun: true, result: { plan: { manifest: yaml } } });
    const jobs = await server().call('GET', `/api/v1/jobs?runId=${String(made.body['runId'])}`, {
      key: visitor().key,
    });
    const [job] = jobs.body['items'] as [{ jobId: string }];
    const asked = await server().call('GET', `/api/v1/job/${job.jobId}/request`, {
      key: visitor().key,
    });
    expect(JSON.stringify(asked.body)).toContain('export const app = 1;');
    expect(JSON.stringify(asked.body)).toContain('src/app.ts');
    const waves = await wavesOf(page);
    await page.reload();
    await page.locator('[data-stream]').first().waitFor();
    await expect.poll(() => wavesOf(page)).toEqual(waves);
    expect(await page.getByRole('textbox', { name: 'Task' }).inputValue()).toBe(
      'Add a health endpoint',
    );
    await textIs(page, yaml!);
  });

  it('changes in its text and its waves when a file moves to another stream', async () => {
    const page = await openWith(PLAN);
    await expect.poll(() => wavesOf(page)).toEqual([['schema', 'search'], ['tests']]);
    const dragged = PLAN.replace(', package.json]', ']').replace(
      '[src/search.ts]',
      '[src/search.ts, package.json]',
    );
    const file = node(page, 'schema').getByRole('listitem').filter({ hasText: 'package.json' });
    await drag(page, file, node(page, 'search'));
    await textIs(page, dragged);
    await page.getByText('Moved package.json from schema to search.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await textIs(page, PLAN);

    // The same without a mouse, and to a stream that then waits: both write below src.
    await node(page, 'schema').getByRole('button').press('Enter');
    await page.getByText('Stream schema', { exact: true }).and(page.locator(':focus')).waitFor();
    await visitor().expectAccessible();
    await page.getByLabel('One more file', { exact: true }).fill('src/search.ts');
    await page.getByLabel('One more file', { exact: true }).press('Enter');
    await expect.poll(() => wavesOf(page)).toEqual([['schema'], ['search'], ['tests']]);
    await page.getByText('schema and search both write src/search.ts').waitFor();
    await visitor().expectAccessible();
    await moveByMenu(page, { entry: 'src/search.ts', to: 'tests' });
    const moved = PLAN.replace('[test/]', '[test/, src/search.ts]');
    await textIs(page, moved);
    await expect.poll(() => wavesOf(page)).toEqual([['schema', 'search'], ['tests']]);
    await page.keyboard.press('Escape');
    await node(page, 'schema').getByRole('button').and(page.locator(':focus')).waitFor();
    for (let steps = 0; steps < 2; steps++) await page.keyboard.press('Control+z');
    await textIs(page, PLAN);
    await page.keyboard.press('Control+Shift+z');
    await textIs(page, PLAN.replace('package.json]', 'package.json, src/search.ts]'));
  });

  it('is edited stream by stream, and every other byte stays', async () => {
    const page = await openWith(PLAN);
    let text = PLAN;
    const becomes = async (...changes: [from: string, to: string][]) => {
      for (const [from, to] of changes) {
        expect(text).toContain(from);
        text = text.replace(from, to);
      }
      await textIs(page, text);
    };
    const type = async (label: string, entry: string) => {
      await page.getByLabel(label, { exact: true }).fill(entry);
      await page.getByLabel(label, { exact: true }).press('Enter');
    };
    await node(page, 'search').getByRole('button').click();
    await type('Name', 'Find books');
    await becomes(['name: Finding books', 'name: Find books']);
    await type('Id', 'find');
    await becomes(['  search:', '  find:'], ['deps: [search]', 'deps: [find]']);
    await page.getByText('Stream find', { exact: true }).waitFor();
    await page.getByLabel('Plan', { exact: true }).fill('Find books.\n\n- by title\n- by author');
    await page.getByLabel('Plan', { exact: true }).blur();
    await becomes(['      Whatever the case.\n', '      - by title\n      - by author\n']);
    await type('One more check', 'npx tsc --noEmit');
    await becomes(['      - npm test\n', '      - npm test\n      - npx tsc --noEmit\n']);
    await page.getByRole('button', { name: 'Do not run npm test' }).click();
    await becomes(['      - npm test\n', '']);
    await page.getByRole('button', { name: 'Wait for', exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: 'tests' }).press('Enter');
    // It would close a circle.
    await page.getByRole('status').getByText('Dependency cycle').waitFor();
    await textIs(page, text);
    await page.getByRole('button', { name: 'Wait for', exact: true }).press('Enter');
    await page.getByRole('menuitem', { name: 'schema' }).press('Enter');
    await becomes(['      - npx tsc --noEmit\n', '      - npx tsc --noEmit\n    deps: [schema]\n']);
    await expect.poll(() => wavesOf(page)).toEqual([['schema'], ['find'], ['tests']]);
    await page.getByRole('button', { name: 'Delete the stream' }).click();
    await page
      .getByText('Deleted find. tests now waits for schema. It wrote src/search.ts.')
      .waitFor();
    const [from, to] = [text.indexOf('  # overlaps'), text.indexOf('  tests:')];
    await becomes([text.slice(from, to), ''], ['deps: [find]', 'deps: [schema]']);
    await expect.poll(() => wavesOf(page)).toEqual([['schema'], ['tests']]);
  });

  it('keeps the last graph while the text is invalid, and shows where', async () => {
    const page = await openWith(PLAN);
    await expect.poll(() => wavesOf(page)).toEqual([['schema', 'search'], ['tests']]);
    const line = page.locator('.cm-line').filter({ hasText: 'deps: [search' });
    await line.click();
    await page.keyboard.press('End');
    await page.keyboard.press('Backspace');
    await page.getByText('This is the last plan that could be read').waitFor();
    await page.getByRole('status').getByText('1 error').waitFor();
    expect(await wavesOf(page)).toEqual([['schema', 'search'], ['tests']]);
    expect(await page.locator('.cm-lint-marker-error').count()).toBe(1);
    await visitor().expectAccessible();
    await line.click();
    await page.keyboard.press('End');
    await page.keyboard.type(', schema]');
    await page.getByText('This is the last plan').waitFor({ state: 'detached' });
    await page.getByText('Longest chain:').waitFor();
    await textIs(page, PLAN.replace('[search]', '[search, schema]'));
  });

  it('is taken along as a file and as commands', async () => {
    const page = await openWith(PLAN);
    const file = await visitor().saved(() =>
      page.getByRole('button', { name: 'Download millrace.yaml' }).click(),
    );
    expect(file).toEqual({ name: 'millrace.yaml', text: PLAN });
    const ends = / run millrace\.yaml$/;
    await page.getByLabel('Command that runs it', { exact: true }).getByText(ends).waitFor();
    await page.getByText('The manifest names no model: add').waitFor();
    await page.getByRole('combobox', { name: 'Model' }).first().fill('sim-fast');
    for (const [name, verb] of [
      ['Command that plans it', 'plan'],
      ['Command that runs it', 'run'],
    ] as const) {
      const text = await page.getByLabel(name, { exact: true }).innerText();
      expect(text).toMatch(new RegExp(` ${verb} millrace\\.yaml --model sim-fast$`));
    }
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the command that saves it' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await savesOnce(await page.evaluate<string>('navigator.clipboard.readText()'));
  });

  it('that fails says why, and keeps the task', async () => {
    const visited = await newVisitor(server());
    const { page } = visited;
    const task = page.getByRole('textbox', { name: 'Task' });
    await visited.open('/new');
    await page.getByRole('combobox', { name: 'Model' }).fill('gpt-5');
    await task.fill('Needs a key');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByRole('alert').getByRole('link', { name: 'Open provider keys' }).waitFor();
    visited.forgetRefusals();
    await page.getByRole('combobox', { name: 'Model' }).fill('sim-instant');
    await task.fill('[[sim:echo no plan at all]]');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByRole('alert').getByText('usable plan').waitFor();
    expect(await task.inputValue()).toBe('[[sim:echo no plan at all]]');
    await visited.expectAccessible();
    await page.getByRole('combobox', { name: 'Model' }).fill('sim-fast');
    await task.fill('[[sim:hang]]');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.getByText('The model is writing the plan.').waitFor();
    await visited.expectAccessible();
    await page.reload();
    await page.getByText('The model is writing the plan.').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByText('Planning was cancelled. Your task is kept.').waitFor();
    expect(await task.inputValue()).toBe('[[sim:hang]]');
    visited.expectQuiet();
    await visited.close();
  });

  it('is not for viewers', async () => {
    const viewer = await newViewer(server(), visitor().person);
    await viewer.open('/new');
    await viewer.page.getByText('You are a viewer of this team').waitFor();
    viewer.expectQuiet();
    await viewer.close();
  });
});
