import { Pool } from 'undici';
import { secondsOf } from '../../../src/base/clock.ts';
import { signatureHeaders } from '../../../src/webhooks/signatures/signature.ts';
import { type Contestant, IN_FLIGHT, payloadOf, SIGNING_KEY } from './contestant.ts';

export interface Job {
  id: string;
  body: string;
}

export const jobOf = (n: number): Job => ({ id: `event${n}`, body: JSON.stringify({ ...payloadOf(n), hookId: 'h' }) });

/** The minimum of a webhook: both signatures, a POST over a kept-alive connection, and its response read. */
export function poster(url: string) {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: IN_FLIGHT });
  return {
    async post({ id, body }: Job): Promise<void> {
      const bytes = Buffer.from(body);
      const signatures = signatureHeaders({ id, timestamp: secondsOf(Date.now()), body: bytes, keys: [SIGNING_KEY] });
      const headers = { 'content-type': 'application/json', 'user-agent': 'bench', ...signatures };
      const answer = await pool.request({ method: 'POST', path, headers, body: bytes });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`);
    },
    close: () => pool.close(),
  };
}

/** Signed POSTs without a queue: the upper bound for every queue. */
export async function rawPosts(url: string): Promise<Contestant> {
  const { post, close } = poster(url);
  let jobs: Job[] = [];
  return {
    async fill(count) {
      jobs = Array.from({ length: count }, (_, n) => jobOf(n));
    },
    async start() {
      let next = 0;
      const worker = async () => {
        for (let job = jobs[next++]; job; job = jobs[next++]) await post(job);
      };
      for (let lane = 0; lane < IN_FLIGHT; lane += 1) void worker();
    },
    unfinished: async () => 0,
    send: (n) => post(jobOf(n)),
    [Symbol.asyncDispose]: close,
  };
}
