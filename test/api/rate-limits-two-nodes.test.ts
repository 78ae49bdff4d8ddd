import { expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { useNodes } from '../support/use-server.ts';
import { verifies } from '../support/verifies.ts';

const nodes = useNodes(3, { role: 'api' });

it('two nodes together accept ten of forty requests that come at once', async () => {
  verifies('limits.rate.across-nodes', 'limits.rate.burst', 'limits.rate.retry-after-integer');
  const [one, two] = nodes();
  const { key } = await one!.createKey({ tier: 'trial' });
  const startedAt = Date.now();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      (i % 2 === 0 ? one! : two!).call('GET', '/api/v1/history', { key }),
    ),
  );
  const refused = answers.filter((answer) => answer.status === 429);
  const accepted = answers.length - refused.length;
  // One place comes back every six seconds; nobody is that slow, but a test must not mind.
  expect(accepted).toBeGreaterThanOrEqual(10);
  expect(accepted).toBeLessThanOrEqual(10 + Math.floor((Date.now() - startedAt) / 6000));
  for (const answer of refused) {
    expectError(answer, 'RATE_LIMITED');
    expect(answer.headers.get('retry-after')).toMatch(/^[1-6]$/);
    expect(answer.headers.get('ratelimit-limit')).toBe('10');
    expect(answer.headers.get('ratelimit-remaining')).toBe('0');
  }
});

it('places come back one by one, in even steps', async () => {
  verifies('limits.rate.burst');
  const [one, two, three] = nodes();
  const { key, email } = await one!.createKey({ tier: 'trial' });
  const bucket = `jobs ${await one!.userId(email)}`;
  const look = (node = one!) => node.call('GET', '/api/v1/history', { key });
  while ((await look()).status !== 429);
  // As if a step of six seconds and a half had passed. A node remembers whom it refused, so each
  // of the others is asked for the first time.
  const shift = (seconds: number) =>
    one!.db.query(
      `update rate_limits set arrival_at = arrival_at - $1 * interval '1 second' where bucket = $2`,
      [seconds, bucket],
    );
  await shift(6.5);
  const startedAt = Date.now();
  let accepted = 0;
  while ((await look(two)).status !== 429) accepted += 1;
  expect(accepted).toBeGreaterThanOrEqual(1);
  expect(accepted).toBeLessThanOrEqual(1 + Math.ceil((Date.now() - startedAt) / 6000));
  await shift(18);
  accepted = 0;
  while ((await look(three)).status !== 429) accepted += 1;
  expect(accepted).toBeGreaterThanOrEqual(3);
  expect(accepted).toBeLessThanOrEqual(3 + Math.ceil((Date.now() - startedAt) / 6000));
});
