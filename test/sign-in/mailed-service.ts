import { expect } from 'vitest';
import type { DatabaseKind } from '../support/databases.ts';
import { startService, type TestService } from '../support/start-service.ts';
import { experience } from './experience.ts';
import { Mailbox } from './mailbox.ts';
import { PASSWORD } from './stage.ts';

/** Starts a service whose emails arrive in the mailbox. `close`, returned from `beforeAll`, closes both after the tests. */
export async function startMailedService(kind: DatabaseKind) {
  const mailbox = await Mailbox.start();
  const service = await startService(kind, { SMTP_URL: mailbox.url });
  return {
    mailbox,
    service,
    async close() {
      await service[Symbol.asyncDispose]();
      await mailbox[Symbol.asyncDispose]();
    },
  };
}

export interface Rosa {
  id: string;
  username: string;
  email: { type: string; value: string };
}

let rosas = 0;

/** Creates an account of its own for a test, because the tests of a file share a service. */
export async function makeRosa(service: TestService): Promise<Rosa> {
  rosas += 1;
  const username = `rosa${rosas}`;
  const email = { type: 'email', value: `${username}@example.com` };
  const { id } = await service.api.must('POST /users', { username, primaryEmail: email.value, password: PASSWORD });
  return { id, username, email };
}

/** Starts a reset and identifies the account by the mailed code. */
export async function reset(service: TestService, mailbox: Mailbox, email: { type: string; value: string }) {
  const opened = await experience(service);
  await opened.call('PUT /', { interactionEvent: 'ForgotPassword' });
  const { verificationId } = (await opened.call('POST /verification/verification-code', { identifier: email })).body;
  const code = await mailbox.code(1, email.value);
  await opened.call('POST /verification/verification-code/verify', { verificationId, code });
  expect((await opened.call('POST /identification', { verificationId })).status).toBe(204);
  return opened;
}
