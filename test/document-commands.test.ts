import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { childEnvironment } from './support/compile-cache.ts';
import { databases } from './support/databases.ts';
import { runSteps, shapeOf, stepsOf } from './support/document-commands.ts';
import { startService, type TestService } from './support/start-service.ts';

const root = join(import.meta.dirname, '..');

describe.each(databases)('the commands of the documents on %s', (kind) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService(kind);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it.each([
    ['README.md', 'Impersonation in five minutes', ['"subjectToken":"sub_', 'already used', '"jti"']],
    ['docs/quick-start.md', undefined, ['"subjectToken":"sub_', '"issued_token_type"', '"active":false']],
  ])('of %s run in order and return what the document shows', async (file, heading, essential) => {
    const steps = stepsOf(file, heading);
    expect(steps.length).toBeGreaterThan(4);
    const { code, outputs, stderr } = await runSteps(steps, { DATA_DIR: service.dataDir });
    const last = steps[outputs.length - 1]?.commands;
    expect({ code, reached: outputs.length, stderr }, `failed in:\n${last}`).toEqual({
      code: 0,
      reached: steps.length,
      stderr: '',
    });
    for (const [index, { commands, shown }] of steps.entries())
      if (shown !== undefined)
        expect(shapeOf(JSON.parse(outputs[index] ?? '')), commands).toEqual(shapeOf(JSON.parse(shown)));
    for (const text of essential) expect(outputs.join('\n')).toContain(text);
  });

  it('npm run demo shows the whole flow, with the actor in the token', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/cli.ts', 'demo'], {
      cwd: root,
      env: { ...childEnvironment, PORT: new URL(service.url).port, DATA_DIR: service.dataDir },
    });
    const { actor } = service.credentials.demo;
    expect(stdout.replace(/\s+/g, ' ')).toContain(`"act": { "sub": "${actor.id}" }`);
    expect(stdout).toContain('subject token was already used');
    expect(stdout).toContain('its signature is valid');
  });
});
