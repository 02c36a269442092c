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
import { newBackupCodes, readable } from '../proofs/backup-codes.ts';
import { newPasskeyOptions, passkeyOptions } from '../proofs/passkeys.ts';
import { newTotp } from '../proofs/totp.ts';
import type { FactorType } from '../settings.ts';

/** What a device or an app calls the account. */
async function accountNameOf(flow: Flow): Promise<string> {
  const { userId, account, identifier } = progressOf(flow);
  const user = userId ? await flow.store.find('users', { id: userId }) : undefined;
  const held = { ...account, ...user };
  return held.primaryEmail ?? held.username ?? held.primaryPhone ?? identifier?.value ?? flow.settings.brandName;
}

const chosenOf = (chosen: unknown, factors: readonly FactorType[]): FactorType | undefined =>
  factors.find((type) => type === chosen);

/** A second factor of this person: the one they chose, else the first of those they have. */
export async function challengePage(flow: Flow, view: FormView, factors: FactorType[], chosen: unknown): Promise<Html> {
  const type = chosenOf(chosen, factors) ?? (factors[0] as FactorType);
  const challenge = { ...view, others: factors.filter((other) => other !== type) };
  if (type === 'Totp') return totpPage(challenge);
  if (type === 'BackupCode') return backupCodePage(challenge);
  return passkeyPage({ ...challenge, options: await passkeyOptions(flow) });
}

/** A new factor: the one they chose, or the only one there is; else the choice. */
export async function enrolmentPage(flow: Flow, view: FormView, factors: FactorType[], chosen: unknown): Promise<Html> {
  const type = chosenOf(chosen, factors) ?? (factors.length === 1 ? factors[0] : undefined);
  const enrol = { ...view, back: factors.length > 1 ? view.action : undefined };
  switch (type) {
    case 'Totp':
      return enrolTotpPage({ ...enrol, ...(await newTotp(flow, await accountNameOf(flow))) });
    case 'WebAuthn':
      return enrolPasskeyPage({ ...enrol, options: await newPasskeyOptions(flow, await accountNameOf(flow)) });
    case 'BackupCode':
      return backupCodesPage({ ...enrol, codes: (await newBackupCodes(flow)).codes.map(readable) });
    default:
      return chooseFactorPage({ ...view, factors });
  }
}
