import type { UserFactorRow, UserRow } from '../../database/tables/index.ts';
import { factorsOf } from '../proofs/factors.ts';
import type { FactorType, IdentifierType } from '../settings.ts';
import { type Flow, identifiedUser, progressOf } from './flow.ts';
import { columnOf } from './identifiers.ts';

/** The next missing step, in the order in which they are asked for. */
export type Missing =
  | { what: 'identification' }
  | { what: 'newPassword' }
  | { what: 'secondFactor'; factors: FactorType[] }
  | { what: 'profile'; identifiers: IdentifierType[] }
  | { what: 'enrolment'; factors: FactorType[] };

/** Returns the next missing step; undefined if the interaction can complete. @throws 422 `user.suspended` */
export async function missingOf(flow: Flow): Promise<Missing | undefined> {
  const { event, passwordHash } = progressOf(flow);
  if (event === 'Register') return missingOfRegistration(flow);
  const missing = await missingProof(flow);
  if (missing) return missing;
  if (event === 'ForgotPassword') return passwordHash === undefined ? { what: 'newPassword' } : undefined;
  const user = await identifiedUser(flow);
  const usable = await usableFactors(flow, user.id);
  return missingProfile(flow, user) ?? (await missingEnrolment(flow, typesOf(flow, usable), user.id));
}

/** The account's factors that the settings accept. */
export async function usableFactors(
  { store, settings }: Pick<Flow, 'store' | 'settings'>,
  userId: string,
): Promise<UserFactorRow[]> {
  return (await factorsOf(store, userId)).filter(({ type }) => settings.mfa.factors.includes(type));
}

/** Returns the types of these factors, in the order of the settings. */
const typesOf = ({ settings }: Flow, factors: readonly UserFactorRow[]): FactorType[] =>
  settings.mfa.factors.filter((type) => factors.some((factor) => factor.type === type));

/**
 * Returns what must still be proven before an existing account is used: its identity, then one of its second factors.
 *
 * @throws 422 `user.suspended`
 */
export async function missingProof(flow: Flow): Promise<Missing | undefined> {
  const { userId, verifications } = progressOf(flow);
  if (userId === undefined) return { what: 'identification' };
  const usable = await usableFactors(flow, (await identifiedUser(flow)).id);
  const isProven = usable.some(({ id }) =>
    verifications.some(({ isVerified, factorId }) => isVerified && factorId === id),
  );
  const types = typesOf(flow, usable);
  return hasPrimary(types) && !isProven ? { what: 'secondFactor', factors: types } : undefined;
}

async function missingOfRegistration(flow: Flow): Promise<Missing | undefined> {
  const { account, identities, passwordHash } = progressOf(flow);
  const isIdentified = flow.settings.signUp.identifiers.some((type) => account[columnOf[type]] !== undefined);
  if (!isIdentified && identities.length === 0) return { what: 'identification' };
  const needsPassword = flow.settings.signUp.password || account.username !== undefined;
  if (needsPassword && identities.length === 0 && passwordHash === undefined) return { what: 'newPassword' };
  return missingProfile(flow, account) ?? (await missingEnrolment(flow, [], undefined));
}

function missingProfile(flow: Flow, user: Partial<UserRow>): Missing | undefined {
  const { account } = progressOf(flow);
  const missing = flow.settings.signUp.requiredIdentifiers.filter(
    (type) => !user[columnOf[type]] && !account[columnOf[type]],
  );
  return missing.length > 0 ? { what: 'profile', identifiers: missing } : undefined;
}

async function missingEnrolment(
  flow: Flow,
  held: FactorType[],
  userId: string | undefined,
): Promise<Missing | undefined> {
  const { factors } = flow.settings.mfa;
  const offered = factors.filter((type) => type !== 'BackupCode');
  if (offered.length === 0) return undefined;
  if (!(await requiresFactor(flow, userId))) return undefined;
  const gathered = [...held, ...progressOf(flow).factors.map(({ type }) => type)];
  if (!hasPrimary(gathered)) return { what: 'enrolment', factors: offered };
  const needsBackup = factors.includes('BackupCode') && !gathered.includes('BackupCode');
  return needsBackup ? { what: 'enrolment', factors: ['BackupCode'] } : undefined;
}

/**
 * Returns true if the tenant or an organization of the user requires a second factor. Always false if the settings
 * offer none.
 */
export async function requiresFactor(flow: Flow, userId: string | undefined): Promise<boolean> {
  const { factors, policy } = flow.settings.mfa;
  if (!hasPrimary(factors)) return false;
  return policy === 'Mandatory' || (userId !== undefined && (await isRequiredByOrganization(flow, userId)));
}

/** Backup codes replace another factor when it is lost. They do not count as a second factor by themselves. */
export const hasPrimary = (types: readonly FactorType[]): boolean => types.some((type) => type !== 'BackupCode');

async function isRequiredByOrganization({ store }: Flow, userId: string): Promise<boolean> {
  const requiring = await store
    .from('organizationUsers')
    .where({ userId })
    .join(store.rows('organizations'), 'organizations.id', 'organizationUsers.organizationId')
    .where({ isMfaRequired: true })
    .first('organizationId');
  return requiring !== undefined;
}
