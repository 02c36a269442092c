import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'src/observe/expected-warnings.ts', // Its false alarm would be the first line of nearly every file.
    pool: 'forks',
    maxWorkers: 2,
    // Against tests that hang. No speed is tested by time, so a machine that is slow or busy fails nothing.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
