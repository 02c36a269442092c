import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long although they are short. Without times of an earlier run, Vitest would start them last. */
const LONG = [
  'sandbox/over-http',
  'management/oversized',
  'webhooks/kill',
  'faults/kill',
  'management/fuzz',
  'console/webhooks',
  'sandbox/containment',
  'faults/vanished-host',
  'soak',
  'scripts/move-tenant',
  'jobs/leader',
  'regular-expressions',
];

/** Starts the long files first, so that none of them runs alone at the end. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((name) => moduleId.endsWith(`/test/${name}.test.ts`));
    const isShort = (file: TestSpecification) => !isLong(file);
    return [...(await super.sort(files.filter(isLong))), ...(await super.sort(files.filter(isShort)))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'] },
    globalSetup: 'test/support/global-setup.ts',
    onConsoleLog: (text) => !text.includes('oidc-provider WARNING: Unsupported runtime.'), // See expected-warnings.ts.
    sequence: { sequencer: LongFirst },
    pool: 'forks',
    isolate: false, // Loading the modules again for each file takes a fifth of the time.
    maxWorkers: 3, // For two cores: many tests wait.
    // Against tests that hang. No speed is tested by time, so a machine that is slow or busy fails nothing.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
