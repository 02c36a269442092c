import { readFileSync } from 'node:fs';
import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { type Answer, postForm } from '../support/call.ts';
import { createDatabase } from '../support/databases.ts';
import { Killable } from '../webhooks/killable.ts';

const KILLS = 6;
const CLIENTS = 4;

/** The processes that this one has started, runners and whatever holds them. */
function descendantsOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const children = text.split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Of one that ended meanwhile nothing is left to kill. */
function killRunners(pid: number): void {
  try {
    for (const runner of descendantsOf(pid)) process.kill(runner, 'SIGKILL');
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

it.runIf(process.platform === 'linux')(
  'issues what scripts say, or refuses, while their runners are killed over and over',
  async () => {
    await using database = await createDatabase('sqlite');
    const env = { LOG_LEVEL: 'fatal', RATE_LIMIT_TOKEN: '1000000', SANDBOX_RUNNERS: '2' };
    await using service = await Killable.on(database, { env });
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
    // Never a token without what the script adds.
    expect(answers.filter((answer) => answer.status === 200 && planOf(answer) !== 'gold')).toEqual([]);
    // To the service it looked as if the script had ended its process: uploaded again, it is out of quarantine.
    await api.must('PUT /configs/jwt-customizer/client-credentials', { script: `${script} // Again.` });
    await expect.poll(async () => planOf(await issue()), { timeout: 20_000 }).toBe('gold');
    expect(service.isDead).toBe(false);
  },
);
