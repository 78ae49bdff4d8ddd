import { expect, it } from 'vitest';
import { withTeardown } from '../../src/app/teardown.ts';
import type { Teardown } from '../../src/app/teardown.ts';
import { createLogger, createScrubber } from '../../src/platform/log.ts';

const log = createLogger({ level: 'error', scrubber: createScrubber(), write: () => undefined });

it('undoes what was started last first, and what tells of the process after all else', async () => {
  const undone: string[] = [];
  const step = (name: string) => [name, () => void undone.push(name)] as const;
  const teardown = await withTeardown(log, async (steps): Promise<Teardown> => {
    steps.add(...step('database'));
    steps.addLast(...step('health'));
    steps.add('worker', () => {
      undone.push('worker');
      throw new Error('does not stop');
    });
    return steps;
  });
  await teardown.run();
  expect(undone).toEqual(['worker', 'database', 'health']);
});
