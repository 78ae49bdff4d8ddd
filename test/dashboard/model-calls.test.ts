import { describe, expect, it } from 'vitest';
import { chromiumPath } from '../support/browser.ts';
import { waitUntil } from '../support/processes.ts';
import { useVisitor } from './use-visitor.ts';
import { newVisitor } from './visitor.ts';

describe.skipIf(chromiumPath === undefined)('the model endpoint in the dashboard', () => {
  const { server, visitor } = useVisitor();

  const ask = (credential: string, content: string, more: object = {}, signal?: AbortSignal) =>
    fetch(`${server().url}/model/anthropic/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': credential },
      body: JSON.stringify({
        model: 'sim-fast',
        max_tokens: 500,
        messages: [{ role: 'user', content }],
        ...more,
      }),
      ...(signal && { signal }),
    });

  const refusal = async (credential: string, model: string): Promise<string> => {
    const answer = await (await ask(credential, 'Hello', { model })).json();
    return (answer as { error: { message: string } }).error.message;
  };

  it('is connected with the lines of a client, and tested with a key made beside them', async () => {
    const { page } = visitor();
    await visitor().open('/connect');
    const clients = page.getByRole('tablist', { name: 'Clients of the model endpoint' });
    await page.getByText(`ANTHROPIC_BASE_URL="${server().url}/model/anthropic"`).waitFor();
    await clients.getByRole('tab', { name: 'Codex', exact: true }).click();
    await expect.poll(() => page.url()).toContain('client=codex');
    await page.getByText(`base_url = "${server().url}/model/openai/v1"`).waitFor();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText('Copy it now').waitFor();
    const test = page.getByRole('button', { name: 'Test', exact: true });
    for (const protocol of ['anthropic', 'openai', 'google', 'openrouter']) {
      await page.getByLabel('Protocol').selectOption(protocol);
      const answered = page.waitForResponse((response) => response.url().includes('/model/'));
      await test.click();
      const response = await answered;
      expect([protocol, response.status()]).toEqual([protocol, 200]);
      await page.getByText(/^Status 200 in \d/).waitFor();
      await page.getByText(/^sim-fast: \d+ tokens in, \d+ out, \$/).waitFor();
    }
    await visitor().expectAccessible();
    await page.getByRole('link', { name: 'Open the call' }).click();
    await page.getByRole('heading', { name: 'Call of sim-fast' }).waitFor();
    await page.getByText('Codex', { exact: true }).waitFor();
  });

  it('shows what the vendor or the endpoint says when a test fails', async () => {
    const { page } = visitor();
    await visitor().open('/connect');
    await page.getByLabel('Key to test with').fill('mill_sk_wrong');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText(/^Status 401 in/).waitFor();
    await page.getByText(await refusal('mill_sk_wrong', 'sim-fast')).waitFor();
    await page.getByLabel('Key to test with').fill(visitor().key);
    await page.getByLabel('Model', { exact: true }).fill('claude-opus-5-5');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText(/^Status 4\d\d in/).waitFor();
    await page.getByText(await refusal(visitor().key, 'claude-opus-5-5')).waitFor();
    await visitor().expectAccessible();
    visitor().forgetRefusals();
  });

  it('has its calls among the jobs, with the tools that the model calls', async () => {
    const { page } = visitor();
    await server().finished(visitor().key, await server().submit(visitor().key));
    const body = { tools: [{ name: 'read_file', input_schema: { type: 'object' } }] };
    const prompt = 'Look. [[sim:call read_file {"path":"a.md"}]]';
    expect(await (await ask(visitor().key, prompt, body)).text()).toContain('tool_use');
    await visitor().open('/jobs');
    await page.getByLabel('Kind').selectOption('call');
    await expect.poll(() => page.url()).toContain('kind=call');
    await page.getByRole('link', { name: 'Call of sim-fast' }).first().waitFor();
    await visitor().expectAccessible();
    await page.getByRole('link', { name: 'Call of sim-fast' }).first().click();
    await page.getByRole('region', { name: 'Tool call read_file' }).waitFor();
    await page.getByLabel('Input of read_file').getByText('"path": "a.md"').waitFor();
    await page.getByText('Through the model endpoint, of no run.').waitFor();
    expect(await page.locator('main a[href*="runId"], main a[href*="/runs/"]').count()).toBe(0);
    await visitor().expectAccessible();
    await page.getByRole('tab', { name: 'Request' }).click();
    await page.getByText('The request is not stored').waitFor();
    await page.getByText('--store-model-calls on').waitFor();
    await visitor().expectAccessible();
    await page.getByRole('link', { name: 'the settings of the team' }).click();
    await page.getByRole('button', { name: 'Change the rules for models' }).waitFor();
  });

  it('follows rules that the team sets, and the audit log has what changed', async () => {
    const { page } = visitor();
    await visitor().open('/settings/team');
    await page.getByRole('button', { name: 'Change the rules for models' }).click();
    await page.getByLabel('Allowed models').fill('sim-*\nclaude-*');
    await page.getByLabel('Most that one job or call may cost').fill('2000000');
    await page.getByLabel('Store requests').check();
    await visitor().expectAccessible();
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByLabel('Most that one job or call may cost')
      .and(page.locator('[aria-invalid]'))
      .waitFor();
    visitor().forgetRefusals();
    await page.getByLabel('Most that one job or call may cost').fill('2.5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('sim-*, claude-*').waitFor();
    await page.getByText('$2.50').waitFor();
    await page.getByText('Stored', { exact: true }).waitFor();
    await visitor().expectAccessible();
    expect((await ask(visitor().key, 'Hello', { model: 'gpt-4o' })).status).toBe(403);
    expect((await ask(visitor().key, 'Remember me')).status).toBe(200);
    await visitor().open('/settings/audit');
    await page.getByText('allowedModels').waitFor();
    await page.getByText('sim-*, claude-*').waitFor();
    expect(await page.locator('main del').count()).toBe(0);
    await visitor().open('/jobs?kind=call');
    await page.getByRole('link', { name: 'Call of sim-fast' }).first().click();
    await page.getByRole('tab', { name: 'Request' }).click();
    await page.getByText('"content": "Remember me"').waitFor();
    await page.getByText('The request is not stored').waitFor({ state: 'detached' });
  });

  it('shows a call while it runs, and can cancel it', async () => {
    const { page } = visitor();
    const gone = new AbortController();
    const slow = 'One. [[sim:tokens 400]] [[sim:pace 200]]';
    const response = await ask(visitor().key, slow, { stream: true }, gone.signal);
    expect(response.status).toBe(200);
    await visitor().open('/jobs?kind=call&status=running');
    await page.getByRole('link', { name: 'Call of sim-fast' }).click();
    const answer = page.getByLabel('Answer of the model');
    const length = async () => (await answer.textContent())!.length;
    await waitUntil(async () => (await length()) > 20);
    const before = await length();
    await waitUntil(async () => (await length()) > before);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled', { exact: true }).first().waitFor();
    gone.abort();
  });

  it('has calls of a stream with their run, and others by key and day', async () => {
    const owner = await newVisitor(server());
    const { page } = owner;
    const token = await server().call('POST', '/v1/stream-tokens', {
      key: owner.key,
      body: {
        runId: 'run-with-agent',
        streamId: 'docs',
        attempt: 1,
        fence: 1,
        models: ['sim-fast'],
      },
    });
    expect(token.status).toBe(201);
    expect((await ask(token.body['token'] as string, 'Of the run')).status).toBe(200);
    await owner.open('/usage?by=calls');
    await page.getByText('No calls this month').waitFor();
    await owner.expectAccessible();
    await (await ask(owner.key, 'Of no run')).text();
    await page.getByRole('cell', { name: /test \d{4}-\d\d-\d\d/ }).waitFor();
    await page.getByRole('columnheader', { name: 'Calls' }).waitFor();
    await owner.expectAccessible();

    // As a vendor reports it that thinks, and a call that was cut off.
    await server().db.query(
      `update jobs set tokens_cached = 1, tokens_reasoning = 2, usage_estimated = true
       where team_id = $1 and run_id = 'run-with-agent'`,
      [owner.person.teamId],
    );
    await owner.open('/jobs?kind=call&runId=run-with-agent');
    await page.getByRole('link', { name: 'docs', exact: true }).click();
    await page.getByText('by the agent of stream docs').waitFor();
    await page.getByText(/^\d+ in \(1 cached\), \d+ out \(2 reasoning\) estimated$/).waitFor();
    await owner.expectAccessible();
    await page.getByRole('link', { name: 'Its run' }).click();
    await page.getByRole('tab', { name: 'Model calls' }).waitFor();
    await page.getByRole('link', { name: 'docs', exact: true }).waitFor();
    await owner.expectAccessible();
    owner.expectQuiet();
    await owner.close();
  });
});
