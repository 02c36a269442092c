import { inputPurpose } from '../../src/custom-claims/claims.ts';
import { environmentPurpose } from '../../src/custom-claims/versions.ts';
import { type HookRow, keyOf, type Row, type Table } from '../../src/database/tables/index.ts';
import { progressPurposeOf } from '../../src/sign-in/interaction/progress.ts';
import { codePurposeOf } from '../../src/sign-in/proofs/codes.ts';
import { connectorPurposeOf } from '../../src/sign-in/proofs/connectors.ts';
import { factorPurposeOf } from '../../src/sign-in/proofs/factors.ts';
import { secretPurposeOf } from '../../src/tokens/clients/application-secrets.ts';
import { signingKeyPurposeOf } from '../../src/tokens/keys/signing-keys.ts';
import { payloadPurposeOf } from '../../src/tokens/session-interactions.ts';
import { hookHeadersPurposeOf } from '../../src/webhooks/sending/hook-headers.ts';
import { hookKeyPurposeOf } from '../../src/webhooks/signatures/signing-keys.ts';

type SealedName<T extends Table> = Extract<keyof Row<T>, `${string}Encrypted`>;

/** The purpose that each encrypted value is bound to. A missing column does not compile. */
const purposes: {
  [T in Table as [SealedName<T>] extends [never] ? never : T]: { [C in SealedName<T>]: (row: Row<T>) => string };
} = {
  signingKeys: { privateKeyEncrypted: ({ tenantId, id }) => signingKeyPurposeOf(tenantId, id) },
  oidcPayloads: { payloadEncrypted: ({ tenantId, model, id }) => payloadPurposeOf(tenantId, model, id) },
  applicationSecrets: {
    valueEncrypted: ({ tenantId, applicationId, name }) => secretPurposeOf(tenantId, applicationId, name),
  },
  userFactors: { secretEncrypted: ({ tenantId, id }) => factorPurposeOf(tenantId, id) },
  connectors: { clientSecretEncrypted: ({ tenantId, id }) => connectorPurposeOf(tenantId, id) },
  signInProgress: { stateEncrypted: ({ tenantId, id }) => progressPurposeOf(tenantId, id) },
  verificationCodes: { codeEncrypted: ({ tenantId, id }) => codePurposeOf(tenantId, id) },
  scriptVersions: {
    environmentEncrypted: ({ tenantId, tokenType, number }) => environmentPurpose(tenantId, tokenType, number),
  },
  scriptRuns: { inputEncrypted: ({ tenantId, jti }) => inputPurpose(tenantId, jti ?? '') },
  hooks: { signingKeyEncrypted: hookKeyPurposeOf, headersEncrypted: hookHeadersPurposeOf },
};

/** A column whose values are encrypted with the secret key. */
export interface SealedColumn {
  table: Table;
  column: string;
  /** The primary key without the tenant. */
  key: readonly string[];
  purposeOf(row: object): string;
}

export const sealedColumns: readonly SealedColumn[] = Object.entries(purposes).flatMap(([name, columns]) => {
  const table = name as Table;
  const entries = Object.entries<SealedColumn['purposeOf']>(columns);
  return entries.map(([column, purposeOf]) => ({ table, column, key: keyOf(table), purposeOf }));
});

type AnyRow = Record<string, unknown>;
type OldKeys = HookRow['oldSigningKeys'];

/** Returns the row with every encrypted value replaced by the result of `change`. */
export function changeSealed(table: Table, row: AnyRow, change: (text: string, purpose: string) => string): AnyRow {
  const changed = { ...row };
  for (const { column, purposeOf } of sealedColumns.filter((sealed) => sealed.table === table))
    if (row[column] !== null) changed[column] = change(row[column] as string, purposeOf(row));
  if (table === 'hooks') {
    const purpose = hookKeyPurposeOf(row as HookRow);
    changed.oldSigningKeys = (row.oldSigningKeys as OldKeys).map(({ signingKeyEncrypted, expiresAt }) => ({
      signingKeyEncrypted: change(signingKeyEncrypted, purpose),
      expiresAt,
    }));
  }
  return changed;
}
