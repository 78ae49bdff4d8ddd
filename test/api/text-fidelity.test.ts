import { expect, it } from 'vitest';
import { openEvents, textOf } from '../support/sse.ts';
import { useServer } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const server = useServer();

async function echoed(text: string): Promise<string> {
  const { key } = await server().createKey();
  const prompt = `[[sim:reply]]${text}[[/sim:reply]]`;
  const jobId = await server().submit(key, { prompt, maxTokens: 200_000 });
  const job = await server().finished(key, jobId);
  expect(job).toMatchObject({ status: 'completed' });
  const events = await openEvents(`${server().url}/api/v1/job/${jobId}/events`, {
    'x-api-key': key,
  });
  expect(textOf(await events.rest()) === job['output']).toBe(true);
  return job['output'] as string;
}

it.each([
  ['NUL and other controls', 'a\u0000b\u0001\u001b[31m\u007f\u0085c'],
  ['lone surrogates', 'high \ud83c and low \udf89 apart'],
  ['line ends of all kinds', 'a\nb\r\nc\rd\u2028e\u2029f\vg\f'],
  ['characters of every width', 'aä漢🎉\u{10ffff}\ufeff\ufffe'],
  ['what looks like an escape', String.raw`\u0000 \n "quoted" \\ </script> ${'${x}'} %00 ''`],
  ['white space at both ends', ' \t\n text \n\n'],
])('a prompt and an output with %s come through unchanged', async (_, text) => {
  verifies('job.execute.prompt', 'job.fields.output');
  expect(await echoed(text)).toBe(text);
});

it('a prompt and an output of 4 MiB come through unchanged', async () => {
  verifies('job.execute.prompt', 'job.execute.prompt-size', 'job.fields.output');
  const wrapping = '[[sim:reply]][[/sim:reply]]'.length;
  const room = 4 * 1024 * 1024 - wrapping;
  // As many bytes as possible for each token, of which an answer has 200,000 at most.
  const word = `        ${'漢'.repeat(6)}`;
  const count = Math.floor(room / Buffer.byteLength(word));
  const text = word.repeat(count) + '.'.repeat(room - count * Buffer.byteLength(word));
  expect(Buffer.byteLength(text) + wrapping).toBe(4 * 1024 * 1024);
  const output = await echoed(text);
  expect(output === text).toBe(true);
});
