import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.ts';
import { toolOf } from '../support/turns.ts';
import { useVisitor } from './use-visitor.ts';
import { newViewer, newVisitor } from './visitor.ts';

describe.skipIf(chromiumPath === undefined)('executions and jobs in the dashboard', () => {
  const { server, visitor } = useVisitor();

  it('say how to begin when there are none', async () => {
    const { page } = visitor();
    await visitor().open('/executions');
    await page.getByText('No executions yet').waitFor();
    await page.getByRole('checkbox', { name: 'Only mine' }).check();
    await page.getByText('No execution matches').waitFor();
    await visitor().open('/jobs');
    await page.getByText('No jobs yet').waitFor();
    await visitor().expectAccessible();
  });

  it('a task is planned first, then run, and its changes are on the page', async () => {
    const { page } = visitor();
    await visitor().open('/executions');
    await page.getByRole('link', { name: 'New execution' }).click();
    await page.getByRole('textbox', { name: 'Task' }).fill('Add a health endpoint');
    await page.getByRole('combobox', { name: 'Model' }).fill('sim-instant');
    await page.getByRole('spinbutton', { name: 'Maximum steps' }).fill('3');
    await page.getByRole('spinbutton', { name: 'Budget in dollars' }).fill('4.5');
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Preview the plan' }).click();
    await page.getByRole('heading', { name: 'Wave 1' }).waitFor();
    await page.getByText('Planned').waitFor();
    await visitor().expectAccessible();
    await page.getByRole('link', { name: 'Plan again' }).click();
    await page.getByText('--max-steps 3 --max-cost 4.5').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Run this task' }).click();
    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.getByText(/millrace (?:--\S+ \S+ )*apply exec_\w+$/).waitFor();
    await page.getByText('Create').first().waitFor();
    await visitor().expectAccessible();
    await page.getByRole('tab', { name: 'Steps' }).click();
    await page
      .getByRole('button', { name: /Complete/ })
      .first()
      .click();
    await page.getByLabel('Answer of the model').waitFor();
    await visitor().expectAccessible();
    await page.getByRole('link', { name: /Open the job/ }).click();
    await page.getByRole('tab', { name: 'Prompt' }).click();
    await page.getByText('Add a health endpoint').first().waitFor();
    await visitor().expectAccessible();
  });

  it('a turn with tools shows what was said, what was offered and what is called', async () => {
    const { page } = visitor();
    const { key } = visitor();
    const read = { id: 'call_1', name: 'read_file', arguments: { path: 'docs/mill.md' } };
    const jobId = await server().submit(key, {
      prompt: undefined,
      messages: [
        { role: 'system', text: 'Keep to the plan.' },
        {
          role: 'user',
          text: '[[sim:call read_file]] [[sim:calls list_files {"folder":"src"} read_file {"path":"a.md"}]]',
        },
        { role: 'assistant', text: 'I will read it.', toolCalls: [read] },
        { role: 'tool', callId: 'call_1', text: 'No such file', isError: true },
      ],
      tools: [toolOf('read_file'), toolOf('list_files')],
    });
    await server().finished(key, jobId);
    await visitor().open(`/jobs/${jobId}`);
    const calls = page.getByRole('list', { name: 'Tool calls' }).getByRole('listitem');
    await calls.filter({ hasText: 'list_files' }).filter({ hasText: '"folder": "src"' }).waitFor();
    await calls.filter({ hasText: 'read_file' }).filter({ hasText: '"path": "a.md"' }).waitFor();
    await visitor().expectAccessible();
    await page.getByRole('tab', { name: 'Prompt' }).click();
    await page.getByText('Keep to the plan.').waitFor();
    await page.getByLabel('Assistant').filter({ hasText: '"path": "docs/mill.md"' }).waitFor();
    await page.getByLabel('Tool, failed').filter({ hasText: 'No such file' }).waitFor();
    await page.getByLabel('Tools').filter({ hasText: 'The tool list_files' }).waitFor();
    await visitor().expectAccessible();
    await page.getByRole('tab', { name: 'Copy as' }).click();
    await page.getByText('"messages"').first().waitFor();
    await visitor().expectAccessible();
  });

  it('an execution is followed while it runs, and can be cancelled', async () => {
    const { page } = visitor();
    const body = { task: 'Never ends [[sim:hang]]', model: 'sim-fast' };
    await visitor().open('/executions?status=running');
    await page.getByText('No execution matches').waitFor();
    await server().call('POST', '/v1/executions', { key: visitor().key, body });
    // Nobody reloads the page.
    await page.getByRole('link', { name: 'Never ends' }).click();
    await page.getByText('Planning').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel the execution' }).click();
    await page.getByText('Cancelled', { exact: true }).first().waitFor();
  });

  it('a prompt is tried in the playground, and why a job waits is in words', async () => {
    const { page } = visitor();
    await visitor().open('/jobs/new');
    await page.getByRole('textbox', { name: 'System' }).fill('Be short.');
    await page.getByRole('textbox', { name: 'Prompt' }).fill('Say hello.');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('Complete', { exact: true }).waitFor();
    await visitor().expectAccessible();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('[[sim:hang]]');
    await page.getByRole('textbox', { name: 'Prompt' }).press('Control+Enter');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    const trial = await newVisitor(server());
    const hanging = { prompt: '[[sim:hang]]', model: 'sim-fast', streamId: 'stuck' };
    await server().db.query(`update teams set tier = 'trial' where id = $1`, [
      await server().teamId(trial.person.email),
    ]);
    const jobs = [];
    for (let i = 0; i < 4; i++) jobs.push(await server().submit(trial.key, hanging));
    await trial.open('/jobs?status=pending');
    await trial.page.getByText('All concurrent jobs of your plan are in use').first().waitFor();
    await trial.page.getByRole('link', { name: 'stuck' }).first().click();
    await trial.page.getByRole('tab', { name: 'Answer' }).waitFor();
    await trial.page.getByText('All concurrent jobs of your plan are in use').waitFor();
    trial.expectQuiet();
    for (const id of jobs)
      await server().call('POST', `/api/v1/job/${id}/cancel`, { key: trial.key });
    await trial.close();
  });

  it('jobs are found by id and status, and the address says what is looked for', async () => {
    const { page } = visitor();
    await visitor().open('/jobs?status=completed');
    const link = page.getByRole('link', { name: 'playground', exact: true });
    const id = (await link.getAttribute('href'))!.split('/').at(-1)!;
    await page.getByRole('searchbox').fill(id.slice(0, 20));
    await link.waitFor();
    await expect.poll(() => page.url()).toContain(`id=${id.slice(0, 20)}`);
    await page.getByRole('searchbox').fill('hello');
    await page.getByText('That is not a job id').waitFor();
    await page.getByRole('searchbox').fill('job_7zz');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await link.first().waitFor();
    const stranger = await newVisitor(server());
    await stranger.page.goto(`${server().url}/jobs/${id}`);
    await stranger.page.getByText('belongs to another account').first().waitFor();
    await stranger.open('/executions/new');
    await stranger.page.getByRole('textbox', { name: 'Task' }).fill('Add a health endpoint');
    await stranger.page.getByRole('combobox', { name: 'Model' }).fill('no-such-model');
    await stranger.page.getByRole('button', { name: 'Run', exact: true }).click();
    await stranger.page.getByText('Cannot tell the provider').first().waitFor();
    await stranger.close();
  });

  it('a viewer sees all of it and finds nothing to start', async () => {
    const viewer = await newViewer(server(), visitor().person);
    await viewer.open('/executions');
    await viewer.page.getByRole('link', { name: 'Never ends' }).click();
    await viewer.page.getByText('Cancelled', { exact: true }).first().waitFor();
    expect(await viewer.page.getByRole('link', { name: 'Run again' }).count()).toBe(0);
    await viewer.open('/jobs');
    await viewer.page.getByRole('link', { name: 'playground', exact: true }).first().waitFor();
    expect(await viewer.page.getByRole('link', { name: 'Playground', exact: true }).count()).toBe(
      0,
    );
    viewer.expectQuiet();
    await viewer.close();
  });
});
