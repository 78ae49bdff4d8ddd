import { expect, it } from 'vitest';
import { createMetrics } from '../../src/platform/metrics.ts';

it('asks for the depth of the queue once for each reading, and shows the answer to that one', async () => {
  let asked = 0;
  const metrics = createMetrics(() => {
    asked += 1;
    const depth = { running: asked, pending: 10 * asked, oldestPendingSeconds: 0.5 };
    return Promise.resolve({ ...depth, claimable: 3, workers: 2, slots: 16 });
  });
  expect(await metrics.registry.metrics()).toContain('millrace_jobs_running 1\n');
  const second = await metrics.registry.metrics();
  expect(second).toContain('millrace_jobs_running 2\n');
  expect(second).toContain('millrace_jobs_pending 20\n');
  expect(second).toContain('millrace_jobs_oldest_pending_seconds 0.5\n');
  expect(asked).toBe(2);
});

const NO_WORKERS = { claimable: 0, workers: 0, slots: 0 };

it('fails to read when the database does not answer, and reads again afterwards', async () => {
  let isUp = false;
  const metrics = createMetrics(() =>
    isUp
      ? Promise.resolve({ ...NO_WORKERS, running: 0, pending: 0, oldestPendingSeconds: 0 })
      : Promise.reject(new Error('down')),
  );
  await expect(metrics.registry.metrics()).rejects.toThrow('down');
  isUp = true;
  expect(await metrics.registry.metrics()).toContain('millrace_jobs_pending 0');
});

it('names a bounded number of models', async () => {
  const metrics = createMetrics(() => Promise.reject(new Error('not asked')));
  const usage = { input: 2, output: 1, cacheRead: 1, cacheWrite: 0 };
  const by = (model: string) => ({ provider: 'p', model, simulated: false, usage, costUsd: null });
  for (let nth = 0; nth < 300; nth++) metrics.modelUsed(by(`model-${nth}`));
  metrics.modelUsed(by('model-0'));
  const text = await metrics.process.metrics();
  expect(text.match(/^millrace_cached_tokens_total\{/gm)!.length).toBeLessThanOrEqual(101);
  expect(text).toContain(
    'millrace_unpriced_calls_total{provider="p",model="model-0",simulated="false"} 2\n',
  );
  const others =
    /^millrace_tokens_total\{provider="other",model="other",simulated="false",direction="input"\} (\d+)$/m;
  expect(Number(others.exec(text)?.[1])).toBe(400);
  // Nothing is known of a price: that is no cost of zero.
  expect(text).not.toContain('millrace_cost_usd_total{');
});
