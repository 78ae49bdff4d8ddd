// Stopping: undoes what was started, last first, even when one of the steps fails.
import type { Logger } from '../platform/log.ts';

export interface Teardown {
  add(name: string, run: () => Promise<void> | void): void;
  /** After everything else, whenever it was started. */
  addLast(name: string, run: () => Promise<void> | void): void;
  run(): Promise<void>;
}

function createTeardown(log: Logger): Teardown {
  const steps: { name: string; run: () => Promise<void> | void }[] = [];
  return {
    add: (name, run) => void steps.unshift({ name, run }),
    addLast: (name, run) => void steps.push({ name, run }),
    async run() {
      for (const step of steps.splice(0)) {
        try {
          await step.run();
        } catch (error) {
          log.error({ err: error, step: step.name }, 'could not stop a part of the server');
        }
      }
    },
  };
}

/** Undoes what was started when the rest of the start fails. */
export async function withTeardown<T>(
  log: Logger,
  start: (teardown: Teardown) => Promise<T>,
): Promise<T> {
  const teardown = createTeardown(log);
  try {
    return await start(teardown);
  } catch (error) {
    await teardown.run();
    throw error;
  }
}
