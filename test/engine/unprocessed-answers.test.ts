// What a worker does when our own code fails on an answer that was paid for.
import { expect, it } from 'vitest';
import { useServer } from '../support/use-server.ts';

const server = useServer();

async function endOf(key: string, jobId: string): Promise<Record<string, unknown>> {
  const path = `/api/v1/job/${jobId}?view=full&wait=60`;
  for (;;) {
    const { body } = await server().call('GET', path, { key });
    if (body['status'] !== 'pending' && body['status'] !== 'running') return body;
  }
}

const reply = (text: string) => ({ prompt: `[[sim:reply]]${text}[[/sim:reply]]` });

it('an answer of 50,000 levels is an answer like any other', async () => {
  const { key } = await server().createKey();
  const deep = '['.repeat(50_000) + ']'.repeat(50_000);
  const answer = `\`\`\`millrace-artifact\n{"operations":${deep}}\n\`\`\``;
  const request = { ...reply(answer), maxTokens: 200_000 };
  const { status, output, attempt } = await endOf(key, await server().submit(key, request));
  expect({ status, attempt, isWhole: output === answer }).toEqual({
    status: 'completed',
    attempt: 1,
    isWhole: true,
  });
});

it('an end that the database refuses fails its job once, and keeps text and tokens', async () => {
  // Stands for any bug of ours in what ends a job: statements, hooks, a column that is too small.
  await server().db.query(`
    create function refuse_poison() returns trigger language plpgsql as $$
    begin
      if new.status = 'completed' and new.output like '%poison%' then raise 'a bug'; end if;
      return new;
    end $$`);
  await server().db.query(
    'create trigger refuse_poison before update on jobs for each row execute function refuse_poison()',
  );
  try {
    const { key } = await server().createKey();
    const texts = ['one', 'poison', 'two', 'three'];
    const ids = await Promise.all(texts.map((text) => server().submit(key, reply(text))));
    const ends = await Promise.all(ids.map((id) => endOf(key, id)));
    expect(ends[1]).toMatchObject({
      status: 'failed',
      errorCode: 'ANSWER_UNPROCESSED',
      partialOutput: 'poison',
      attempt: 1,
    });
    expect(ends[1]).toMatchObject({ tokensUsed: { output: expect.any(Number) } });
    expect((ends[1]!['tokensUsed'] as { output: number }).output).toBeGreaterThan(0);
    for (const at of [0, 2, 3]) {
      expect(ends[at]).toMatchObject({ status: 'completed', output: texts[at] });
    }
    const { rows } = await server().db.query('select attempt from usage_ledger where job_id = $1', [
      ids[1],
    ]);
    expect(rows).toHaveLength(1);
  } finally {
    await server().db.query('drop function refuse_poison cascade');
  }
});

it('a job that cannot be ended at all is given up like one whose worker was lost', async () => {
  await server().db.query(`
    create function refuse_ends() returns trigger language plpgsql as $$
    begin
      if old.status = 'running' and new.status <> 'pending' and new.stream_id = 'endless' then
        raise 'a bug';
      end if;
      return new;
    end $$`);
  await server().db.query(
    'create trigger refuse_ends before update of status on jobs for each row execute function refuse_ends()',
  );
  try {
    const { key } = await server().createKey();
    const jobId = await server().submit(key, { ...reply('one'), streamId: 'endless' });
    const end = await endOf(key, jobId);
    expect(end).toMatchObject({
      status: 'failed',
      errorCode: 'WORKER_LOST',
      usageEstimated: true,
    });
    // An attempt that a busy machine let stand still does not count as lost.
    expect(end['attempt']).toBeGreaterThanOrEqual(3);
  } finally {
    await server().db.query('drop function refuse_ends cascade');
  }
});

it('requests of 50,000 levels are answered, never with an error of the server', async () => {
  const { key } = await server().createKey();
  const deep = '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000);
  const call = `{"name":"millrace_execute","arguments":{"task":"x","context":${deep}}}`;
  const bodies: [string, string, string][] = [
    [
      'POST',
      '/api/v1/execute',
      `{"prompt":"x","model":"sim-fast","streamId":"s","maxTokens":1,"more":${deep}}`,
    ],
    ['POST', '/api/v1/execute', `{"prompt":${deep}}`],
    ['POST', '/v1/executions', `{"task":"x","context":${deep}}`],
    ['POST', '/v1/executions', `{"task":"x","context":{"contents":${deep}}}`],
    ['PUT', '/api/v1/history/run-deep', `{"run":${deep},"streams":[]}`],
    ['POST', '/v1/webhooks', `{"url":"https://example.com","events":[${deep}]}`],
    ['POST', '/mcp', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${call}}`],
    ['POST', '/mcp', `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`],
  ];
  for (const [method, path, body] of bodies) {
    const answer = await fetch(`${server().url}${path}`, {
      method,
      body,
      headers: {
        'x-api-key': key,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    });
    expect(answer.status, `${method} ${path}: ${await answer.text()}`).toBeLessThan(500);
  }
});
