import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { showWait } from '../../src/cli/commands/jobs/waiting.ts';
import { runEither } from '../support/run-here.ts';
import { toolOf } from '../support/turns.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer();

async function asCaller() {
  const { key } = await server().createKey();
  const settings = { MILLRACE_URL: server().url, MILLRACE_API_KEY: key };
  return (args: string[], input?: string) => runEither(args, settings, input);
}

const RUN = ['job', 'run', '--model', 'sim-instant'];

describe('millrace job', () => {
  it('run shows the answer on standard output and the tokens beside it', async () => {
    const millrace = await asCaller();
    const ran = await millrace([...RUN, '--prompt', 'Hello [[sim:reply]]Good day[[/sim:reply]]']);
    expect(ran).toMatchObject({ code: 0, stdout: 'Good day\n' });
    expect(ran.stderr).toMatch(/Done: \d+ tokens in, \d+ out/);
  });

  it('run says how much the model is to think', async () => {
    const millrace = await asCaller();
    const asked = [...RUN, '--prompt', 'x', '--detach', '--reasoning'];
    const ran = await millrace([...asked, 'high']);
    const { rows } = await server().db.query('select reasoning from jobs where id = $1', [
      ran.stdout.trim(),
    ]);
    expect(rows).toEqual([{ reasoning: 'high' }]);
    const refused = await millrace([...asked, 'most']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('low, medium, high');
  });

  it('run takes a tier, and says at which one the answer was processed', async () => {
    const millrace = await asCaller();
    const asked = [...RUN, '--prompt', '[[sim:reply]]hi[[/sim:reply]]', '--service-tier'];
    const ran = await millrace([...asked, 'flex']);
    expect(ran).toMatchObject({ code: 0, stdout: 'hi\n' });
    expect(ran.stderr).toContain('Tier: flex');
    const refused = await millrace([...asked, 'priority']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('flex, standard');
  });

  it('get shows the calls of tools beside the text, and all of them as JSON', async () => {
    const { key } = await server().createKey();
    const settings = { MILLRACE_URL: server().url, MILLRACE_API_KEY: key };
    const prompt = '[[sim:calls read_file {"path":"a.md"} pwd]]';
    const jobId = await server().submit(key, {
      prompt,
      tools: [toolOf('read_file'), toolOf('pwd')],
    });
    await server().finished(key, jobId);
    const got = await runEither(['job', 'get', jobId], settings);
    expect(got).toMatchObject({ code: 0, stdout: '' });
    expect(got.stderr).toContain('Calls read_file {"path":"a.md"}');
    expect(got.stderr).toContain('Calls pwd {}');
    const json = await runEither(['job', 'get', jobId, '--json'], settings);
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: 'completed',
      toolCalls: [{ name: 'read_file' }, { name: 'pwd' }],
      assistantMessage: { role: 'assistant' },
    });
  });

  it('run takes the prompt from a file or from standard input, and prints one document as JSON', async () => {
    const millrace = await asCaller();
    const folder = await mkdtemp(join(tmpdir(), 'millrace-prompt-'));
    try {
      const file = join(folder, 'prompt.txt');
      await writeFile(file, '[[sim:reply]]from a file[[/sim:reply]]');
      const fromFile = await millrace([...RUN, '--prompt', `@${file}`]);
      expect(fromFile.stdout).toBe('from a file\n');
    } finally {
      await rm(folder, { recursive: true });
    }
    const piped = await millrace([...RUN, '--json'], '[[sim:reply]]piped[[/sim:reply]]');
    expect(JSON.parse(piped.stdout)).toMatchObject({ status: 'completed', output: 'piped' });
    const missing = await millrace([...RUN, '--prompt', '@/does/not/exist']);
    expect(missing).toMatchObject({ code: 2, stdout: '' });
  });

  it('an answer that was cut off is shown, and that it is not whole', async () => {
    const millrace = await asCaller();
    const cut = [...RUN, '--prompt', '[[sim:tokens 8]]', '--max-tokens', '7'];
    const line = 'The answer was cut off at 7 tokens: it is not whole.';
    const ran = await millrace(cut);
    expect(ran.code).toBe(0);
    expect(ran.stdout).not.toContain('cut off');
    expect(ran.stderr.split(line)).toHaveLength(2);
    const quiet = await millrace([...cut, '--json', '--quiet']);
    const { jobId, status } = JSON.parse(quiet.stdout) as { jobId: string; status: string };
    expect(status).toBe('completed');
    expect(quiet.stderr.split(line)).toHaveLength(2);
    const got = await millrace(['job', 'get', jobId]);
    expect(got.code).toBe(0);
    expect(got.stderr.split(line)).toHaveLength(2);
    const whole = await millrace([...RUN, '--prompt', '[[sim:tokens 8]]', '--max-tokens', '8']);
    expect(whole.stderr).not.toContain('cut off');
  });

  it('a failed job exits with 1 and says why', async () => {
    const millrace = await asCaller();
    const ran = await millrace([...RUN, '--prompt', '[[sim:auth]]']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('Failed: ');
  });

  it('a job that runs out of time exits with 124', async () => {
    const millrace = await asCaller();
    const ran = await millrace([...RUN, '--prompt', '[[sim:hang]]', '--timeout', '1s', '--json']);
    expect(ran.code).toBe(124);
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'failed' });
  });

  it('get and cancel work on a job that was left running', async () => {
    const millrace = await asCaller();
    const detached = await millrace([...RUN, '--prompt', '[[sim:hang]]', '--detach', '--json']);
    const { jobId } = JSON.parse(detached.stdout) as { jobId: string };
    expect((await millrace(['job', 'get', jobId])).stdout).toMatch(/^(pending|running)\n$/);
    expect(await millrace(['job', 'cancel', jobId])).toMatchObject({
      code: 0,
      stdout: 'Cancelled.\n',
    });
    const ended = await millrace(['job', 'get', jobId, '--wait', '5', '--json']);
    expect(ended.code).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'failed', error: 'Job cancelled' });
    expect((await millrace(['job', 'cancel', jobId])).code).toBe(0);
  });
});

describe('millrace history', () => {
  it('lists runs and shows one with its streams', async () => {
    const millrace = await asCaller();
    await millrace([...RUN, '--prompt', 'x', '--stream', 'first']);
    const listed = await millrace(['history', '--json', '--limit', '5', '--status', 'complete']);
    const page = JSON.parse(listed.stdout) as { items: { id: string; feature: string }[] };
    expect(page.items.map(({ feature }) => feature)).toEqual(['first']);
    const { id } = page.items[0]!;
    const shown = await millrace(['history', id]);
    expect(shown.stdout).toMatch(/^first {2}complete\n/);
    expect(shown.stdout).toMatch(
      /\nWAVE +STATUS +TOKENS +MODEL +STREAM +FILES\n +1 +complete +[\d,]+ +sim-\w+ +first/,
    );
    const table = await millrace(['history']);
    const lines = table.stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ID +STARTED +STATUS +STREAMS +TIME +COST +FEATURE$/);
    expect(lines[1]).toMatch(
      /^run_\w{10,} +\d{4}-\d\d-\d\d \d\d:\d\d +complete +1 +[\d.]+s +\$[\d.]+ +first$/,
    );
    // On the clock of this machine, not in UTC.
    const now = new Date();
    expect(lines[1]).toContain(` ${now.getFullYear()}-`);
    const short = lines[1]!.split(' ')[0]!;
    for (const asked of [short, short.slice('run_'.length)]) {
      const found = await millrace(['history', asked, '--json']);
      expect(JSON.parse(found.stdout)).toMatchObject({ run: { id } });
    }
    const unknown = await millrace(['history', 'run_7zz']);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('No run begins')]);
  });

  it('cuts nothing in a pipe, whatever a feature is called', async () => {
    const millrace = await asCaller();
    const stream = 'a-stream-with-a-name-that-is-much-longer-than-any-line-has-room-for';
    await millrace([...RUN, '--prompt', 'x', '--stream', stream]);
    const { stdout } = await millrace(['history']);
    expect(stdout).toContain(stream);
  });
});

describe('errors', () => {
  it('speak of commands, not of routes and headers', async () => {
    const millrace = await asCaller();
    const noKey = await millrace(['job', 'run', '--model', 'claude-opus-4-8', '--prompt', 'x']);
    expect(noKey.code).toBe(2);
    expect(noKey.stderr).toMatch(
      /^Error: The server has no key for anthropic\.\nAdd yours with: \S+ keys add anthropic\n$/,
    );
    const exec = await millrace(['exec', 'x', '--model', 'house-model', '--provider', 'openai']);
    expect(exec.stderr).toContain('keys add openai');
    const unknown = await millrace(['job', 'run', '--model', 'mystery', '--prompt', 'x', '--json']);
    expect(JSON.parse(unknown.stdout)).toMatchObject({
      error: { code: 'UNKNOWN_MODEL', hint: expect.stringContaining('millrace models') },
    });
    const wrong = { MILLRACE_URL: server().url, MILLRACE_API_KEY: 'mill_sk_wrong' };
    const refused = await runEither(['history'], wrong);
    expect(refused.code).toBe(4);
    const none = await runEither(['history'], { MILLRACE_URL: server().url });
    const missing = await millrace(['history', 'someone-elses-run']);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      expect.stringMatching(/List them with: \S+ history/),
    ]);
    for (const { stderr } of [noKey, exec, refused, none, missing]) {
      expect(stderr).not.toMatch(/X-API-Key|X-Provider-Key|Bearer|\/v1\/|POST /);
    }
    for (const { stderr } of [refused, none]) expect(stderr).toContain('api-keys create');
    const away = { MILLRACE_URL: 'http://127.0.0.1:1', MILLRACE_API_KEY: 'x' };
    const gone = await runEither(['history'], away);
    expect(gone.stderr).toMatch(
      /^Error: Could not reach the server at http:\/\/127\.0\.0\.1:1\.\n/,
    );
    expect(gone.stderr).not.toContain('/api/');
    const failed = await millrace([...RUN, '--prompt', 'x [[sim:hang]]', '--timeout', '1s']);
    expect(failed.stderr).toContain('Allow more time with --timeout.');
  });
});

it('a view that fails says where its job or execution is', async () => {
  // Takes work, and then knows nothing of it.
  const forgetful = createServer((request, response) => {
    request.resume();
    if (request.method === 'POST') response.writeHead(202).end('{"jobId":"job_1","id":"exec_1"}');
    else response.writeHead(404).end('{"error":{"code":"NOT_FOUND","message":"Unknown."}}');
  });
  await new Promise<void>((resolve) => forgetful.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = forgetful.address() as AddressInfo;
    const settings = { MILLRACE_URL: `http://127.0.0.1:${port}`, MILLRACE_API_KEY: 'x' };
    const job = await runEither([...RUN, '--prompt', 'x'], settings);
    expect([job.code, job.stderr]).toEqual([
      1,
      expect.stringMatching(/continues .* job get job_1\n/),
    ]);
    const exec = await runEither(['exec', 'x', '--wait'], settings);
    expect([exec.code, exec.stderr]).toEqual([
      1,
      expect.stringMatching(/continues .* exec get exec_1\n/),
    ]);
  } finally {
    forgetful.close();
  }
});

describe('waits', () => {
  it('for the rate limit of the server are told', async () => {
    let asked = 0;
    const limited = createServer((_request, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(429, { 'retry-after': '1' }).end('{}');
      else response.end('{"items":[],"total":0,"offset":0,"limit":10}');
    });
    await new Promise<void>((resolve) => limited.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = limited.address() as AddressInfo;
      const settings = { MILLRACE_URL: `http://127.0.0.1:${port}`, MILLRACE_API_KEY: 'x' };
      const { code, stderr } = await runEither(['history'], settings);
      expect([code, stderr]).toEqual([
        0,
        "The server's rate limit is reached. It asks to wait 1.0s.\nNo runs.\n",
      ]);
    } finally {
      limited.close();
    }
  });

  it('of a job are told with their reason, and until when', () => {
    const now = new Date('2026-11-15T10:00:00Z');
    const shown = (waiting: object) => showWait({ status: 'pending', waiting }, now);
    const until = '2026-11-15T10:00:12Z';
    expect(shown({ reason: 'rate_limited', until })).toBe(
      'Waiting: the provider is rate limiting this job; continues in 12.0s.',
    );
    expect(shown({ reason: 'key_paused', detail: 'by \u001b[2Jopenai' })).toBe(
      'Waiting: the provider is rate limiting this key (by \ufffd[2Jopenai).',
    );
    expect(shown({ reason: 'retry', until })).toBe('The model call failed; retrying in 12.0s.');
    expect(shown({ reason: 'concurrency', until: null, detail: null })).toBe(
      "Waiting: the plan's concurrent jobs are all in use.",
    );
    expect(shown({ reason: 'a new one' })).toBe('Waiting.');
    expect(showWait({ status: 'running' }, now)).toBeUndefined();
    expect(showWait(undefined, now)).toBeUndefined();
  });
});

describe('exit codes', () => {
  it('tell a bad key, a bad flag, a bad value and an absent server apart', async () => {
    const bad = { MILLRACE_URL: server().url, MILLRACE_API_KEY: 'x' };
    expect((await runEither(['history', '--json'], bad)).code).toBe(4);
    expect((await runEither(['history', '--limit', 'many'], bad)).code).toBe(2);
    expect((await runEither(['history'], { MILLRACE_URL: server().url })).code).toBe(2);
    const away = { MILLRACE_URL: 'http://127.0.0.1:1', MILLRACE_API_KEY: 'x' };
    expect((await runEither(['history'], away)).code).toBe(6);
    const millrace = await asCaller();
    expect((await millrace(['history', '--limit', '1000'])).code).toBe(2);
    expect((await millrace(['job', 'get', 'job_none'])).code).toBe(1);
  });
});
