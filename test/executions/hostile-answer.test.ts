import { expect, it } from 'vitest';
import { TIMES, cpuMsOf, timesUsual } from '../support/cost.ts';
import { useServer } from '../support/use-server.ts';
import { artifactOf, clientOf, planOf, replyOf } from './execution.ts';

const server = useServer();

/** A task whose answer is one edit, and the file that it is made for. */
function execution(text: string, oldText: string): Record<string, unknown> {
  const operation = { type: 'edit', path: 'a.txt', edits: [{ oldText, newText: 'x' }] };
  const plan = planOf({ edit: 'owns: [a.txt]' });
  return {
    task: `Edit it. ${plan} ${replyOf('edit', artifactOf([operation]))}`,
    context: { contents: { 'a.txt': text } },
  };
}

it('an edit that is hard to place costs an execution no more than any other', async () => {
  const { key } = await server().createKey();
  const client = clientOf(server(), key);
  const run = async (body: Record<string, unknown>) => client.ended(await client.start(body));
  const lines = Array.from({ length: 15_000 }, (_, i) => `line ${i}`).join('\n');
  const honest = execution(lines, lines.slice(60_000, 90_000));
  const first = await run(honest);
  expect(first, JSON.stringify(first.result)).toMatchObject({ status: 'completed' });
  const usual = await cpuMsOf(() => run(honest));
  const hostile = execution('a\n'.repeat(75_000), `${'a\n'.repeat(15_000)}b`);
  let ended = first;
  const spent = await cpuMsOf(async () => {
    ended = await run(hostile);
  });
  // The text is not in the file: told so three times, the model gives the same answer.
  expect(ended.result?.error).toMatchObject({ code: 'ARTIFACT_INVALID' });
  expect(timesUsual(spent, usual)).toBeLessThan(TIMES);
});
