import { readFileSync } from 'node:fs';
import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { type Answer, postForm } from '../support/call.ts';
import { createMigrated } from '../support/databases.ts';
import { ServiceProcess } from '../support/service-process.ts';

const KILLS = 6;
const CLIENTS = 4;

/** Returns all descendants of a process: runners and their parents. */
function descendantsOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const children = text.split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Kills all runners. Ignores those that ended in the meantime. */
function killRunners(pid: number): void {
  try {
    for (const runner of descendantsOf(pid)) process.kill(runner, 'SIGKILL');
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

it.runIf(process.platform === 'linux')(
  'issues tokens with the claims of the script or refuses them, while runners are killed repeatedly',
  async () => {
    await using database = await createMigrated('sqlite');
    const env = { LOG_LEVEL: 'fatal', RATE_LIMIT_TOKEN: '1000000', SANDBOX_RUNNERS: '2' };
    await using service = await ServiceProcess.on(database, { env });
    await service.start();
    const api = await service.api();
    const script = "const getCustomJwtClaims = async () => ({ plan: 'gold' });";
    await api.must('PUT /configs/jwt-customizer/client-credentials', { script });

    const { machine, managementApiIndicator } = await service.credentials();
    const authorization = `Basic ${btoa(`${machine.clientId}:${machine.clientSecret}`)}`;
    const form = { grant_type: 'client_credentials', resource: managementApiIndicator, scope: 'all' };
    const issue = () => postForm(`${service.url}/oidc/token`, form, { authorization });
    const planOf = ({ body }: Answer) => body.access_token && decodeJwt(body.access_token).plan;

    const answers: Answer[] = [];
    let isOver = false;
    const ask = async () => {
      while (!isOver) answers.push(await issue());
    };
    const asking = Array.from({ length: CLIENTS }, ask);
    try {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const before = answers.length;
        killRunners(service.pid);
        await expect.poll(() => answers.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(before + CLIENTS);
      }
    } finally {
      isOver = true;
      await Promise.all(asking);
    }

    const statuses = new Set(answers.map(({ status }) => status));
    expect([...statuses].filter((status) => ![200, 400, 503].includes(status))).toEqual([]);
    // No token may lack the claim of the script.
    expect(answers.filter((answer) => answer.status === 200 && planOf(answer) !== 'gold')).toEqual([]);
    // The service assumed that the script crashed its runner and quarantined it. Uploading it again ends that.
    await api.must('PUT /configs/jwt-customizer/client-credentials', { script: `${script} // Again.` });
    await expect.poll(async () => planOf(await issue()), { timeout: 20_000 }).toBe('gold');
    expect(service.isDead).toBe(false);
  },
);
