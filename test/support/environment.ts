// Node as it is, with an end: see worker-end.ts.
import { builtinEnvironments } from 'vitest/runtime';
import type { Environment } from 'vitest/runtime';
import { closeAtWorkerEnd } from './worker-end.ts';

const { node } = builtinEnvironments;

// Vitest takes the default export.
// oxlint-disable-next-line import/no-default-export
export default {
  ...node,
  name: 'node-with-an-end',
  async setup(global, options) {
    const { teardown } = await node.setup(global, options);
    return {
      async teardown(end) {
        await closeAtWorkerEnd();
        await teardown(end);
      },
    };
  },
} satisfies Environment;
