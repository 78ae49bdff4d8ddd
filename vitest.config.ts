import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { PATIENCE_MS, TEST_MS } from './test/support/patience.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: [
      'test/support/quick-imports.ts',
      'test/support/same-seed.ts',
      'test/support/plain-path.ts',
      'test/support/patient-fetch.ts',
    ],
    environment: './test/support/environment.ts',
    // To close what the files of a process share.
    teardownTimeout: PATIENCE_MS,
    // Every wait in a test is for a condition; this bound only ends a test that would hang.
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    pool: 'forks',
    // Node runs the sources as they are; through Vite they took a tenth more.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Loading the service anew for each file would take a fifth of the time.
    isolate: false,
    // More than cores: much of the suite waits for processes, time limits and restarts.
    maxWorkers: 5,
    fileParallelism: true,
    sequence: { sequencer: LongestFirst },
    // Like the bound of a test: for what never comes. A second of waiting says nothing.
    expect: { poll: { timeout: PATIENCE_MS } },
    // A whole page as a diff hides every other failure.
    diff: { truncateThreshold: 60 },
  },
});
