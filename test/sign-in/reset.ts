import { expect } from 'vitest';
import type { TestService } from '../support/start-service.ts';
import { experience } from './experience.ts';
import type { Mailbox } from './mailbox.ts';
import { PASSWORD } from './stage.ts';

/** Each test has its own account, because the tests share a service. */
let rosas = 0;
export async function makeRosa(service: TestService) {
  rosas += 1;
  const username = `rosa${rosas}`;
  const email = { type: 'email', value: `${username}@example.com` };
  const { id } = await service.api.must('POST /users', { username, primaryEmail: email.value, password: PASSWORD });
  return { id: id as string, username, email };
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
