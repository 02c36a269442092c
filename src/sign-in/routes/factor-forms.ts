import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { ServiceError } from '../../errors.ts';
import {
  bindFactor,
  newBackupCodes,
  newTotp,
  verifyBackupCode,
  verifyNewPasskey,
  verifyNewTotp,
  verifyPasskey,
  verifyTotp,
} from '../actions.ts';
import type { FormAction } from './forms.ts';

/** Parses the response that the page's script put into the form. @throws 422 `factor.invalid_code` */
export function passkeyResponse<T>(text = ''): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new ServiceError('factor.invalid_code');
  }
}

/** The forms of second factors: `mfa/…` verifies one, `enrol/…` adds one. */
export const factorForms: Record<string, FormAction> = {
  async 'mfa/totp'(flow, { code = '' }) {
    await verifyTotp(flow, code);
  },

  async 'mfa/backup'(flow, { code = '' }) {
    await verifyBackupCode(flow, code);
  },

  async 'mfa/passkey'(flow, { response }) {
    await verifyPasskey(flow, passkeyResponse<AuthenticationResponseJSON>(response));
  },

  async 'enrol/totp'(flow, { code = '' }) {
    const { verification } = await newTotp(flow, '');
    verifyNewTotp(flow, verification.id, code);
    await bindFactor(flow, 'Totp', verification.id);
  },

  async 'enrol/passkey'(flow, { response }) {
    const verification = await verifyNewPasskey(flow, passkeyResponse<RegistrationResponseJSON>(response));
    await bindFactor(flow, 'WebAuthn', verification.id);
  },

  async 'enrol/backup'(flow) {
    const { verification } = await newBackupCodes(flow);
    await bindFactor(flow, 'BackupCode', verification.id);
  },
};
