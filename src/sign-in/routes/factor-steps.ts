import type { Html } from '../../pages/html.ts';
import { type Flow, progressOf } from '../interaction/flow.ts';
import {
  backupCodePage,
  backupCodesPage,
  chooseFactorPage,
  enrolPasskeyPage,
  enrolTotpPage,
  passkeyPage,
  totpPage,
} from '../pages/factors.ts';
import type { FormView } from '../pages/layout.ts';
import { formatBackupCode, newBackupCodes } from '../proofs/backup-codes.ts';
import { newPasskeyOptions, passkeyOptions } from '../proofs/passkeys.ts';
import { newTotp } from '../proofs/totp.ts';
import type { FactorType } from '../settings.ts';

/** The account name that an authenticator app or a device shows. */
async function accountNameOf(flow: Flow): Promise<string> {
  const { userId, account, identifier } = progressOf(flow);
  const user = userId ? await flow.store.find('users', { id: userId }) : undefined;
  const held = { ...account, ...user };
  return held.primaryEmail ?? held.username ?? held.primaryPhone ?? identifier?.value ?? flow.settings.brandName;
}

const factorNamed = (chosen: unknown, factors: readonly FactorType[]): FactorType | undefined =>
  factors.find((type) => type === chosen);

/** Asks for a second factor: the chosen one, by default the first that the user has. */
export async function challengePage(flow: Flow, view: FormView, factors: FactorType[], chosen: unknown): Promise<Html> {
  const type = factorNamed(chosen, factors) ?? (factors[0] as FactorType);
  const challenge = { ...view, others: factors.filter((other) => other !== type) };
  if (type === 'Totp') return totpPage(challenge);
  if (type === 'BackupCode') return backupCodePage(challenge);
  return passkeyPage({ ...challenge, options: await passkeyOptions(flow) });
}

/** Sets up a second factor: the chosen one or the only one allowed; otherwise shows the choice. */
export async function enrolmentPage(flow: Flow, view: FormView, factors: FactorType[], chosen: unknown): Promise<Html> {
  const type = factorNamed(chosen, factors) ?? (factors.length === 1 ? factors[0] : undefined);
  const enrol = { ...view, back: factors.length > 1 ? view.action : undefined };
  switch (type) {
    case 'Totp':
      return enrolTotpPage({ ...enrol, ...(await newTotp(flow, await accountNameOf(flow))) });
    case 'WebAuthn':
      return enrolPasskeyPage({ ...enrol, options: await newPasskeyOptions(flow, await accountNameOf(flow)) });
    case 'BackupCode':
      return backupCodesPage({ ...enrol, codes: (await newBackupCodes(flow)).codes.map(formatBackupCode) });
    default:
      return chooseFactorPage({ ...view, factors });
  }
}
