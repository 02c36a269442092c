import { inputPurpose } from '../../src/custom-claims/claims.ts';
import { environmentPurpose } from '../../src/custom-claims/versions.ts';
import type { HookRow, Table, Tables } from '../../src/database/tables/index.ts';
import { progressPurposeOf } from '../../src/sign-in/interaction/progress.ts';
import { codePurposeOf } from '../../src/sign-in/proofs/codes.ts';
import { connectorPurposeOf } from '../../src/sign-in/proofs/connectors.ts';
import { factorPurposeOf } from '../../src/sign-in/proofs/factors.ts';
import { secretPurposeOf } from '../../src/tokens/clients/application-secrets.ts';
import { signingKeyPurposeOf } from '../../src/tokens/keys/signing-keys.ts';
import { payloadPurposeOf } from '../../src/tokens/session-interactions.ts';
import { hookHeadersPurposeOf } from '../../src/webhooks/sending/hook-headers.ts';
import { hookKeyPurposeOf } from '../../src/webhooks/signatures/signing-keys.ts';

/** A column whose values are encrypted with the secret key, and the purpose each value is bound to. */
export interface SealedColumn {
  table: Table;
  column: string;
  /** The primary key without the tenant. */
  key: string[];
  purposeOf(row: object): string;
}

const sealed = <T extends Table, K extends keyof Tables[T] & string>(
  table: T,
  column: keyof Tables[T] & string,
  key: K[],
  purposeOf: (row: Tables[T]) => string,
): SealedColumn => ({ table, column, key, purposeOf: purposeOf as SealedColumn['purposeOf'] });

/** Every `*_encrypted` column. `test/secret-key.test.ts` checks that the list is complete. */
export const sealedColumns: readonly SealedColumn[] = [
  sealed('signingKeys', 'privateKeyEncrypted', ['id'], ({ tenantId, id }) => signingKeyPurposeOf(tenantId, id)),
  sealed('oidcPayloads', 'payloadEncrypted', ['model', 'id'], ({ tenantId, model, id }) =>
    payloadPurposeOf(tenantId, model, id),
  ),
  sealed('applicationSecrets', 'valueEncrypted', ['applicationId', 'name'], ({ tenantId, applicationId, name }) =>
    secretPurposeOf(tenantId, applicationId, name),
  ),
  sealed('userFactors', 'secretEncrypted', ['id'], ({ tenantId, id }) => factorPurposeOf(tenantId, id)),
  sealed('connectors', 'clientSecretEncrypted', ['id'], ({ tenantId, id }) => connectorPurposeOf(tenantId, id)),
  sealed('signInProgress', 'stateEncrypted', ['id'], ({ tenantId, id }) => progressPurposeOf(tenantId, id)),
  sealed('verificationCodes', 'codeEncrypted', ['id'], ({ tenantId, id }) => codePurposeOf(tenantId, id)),
  sealed('scriptVersions', 'environmentEncrypted', ['tokenType', 'number'], ({ tenantId, tokenType, number }) =>
    environmentPurpose(tenantId, tokenType, number),
  ),
  sealed('scriptRuns', 'inputEncrypted', ['id'], ({ tenantId, jti }) => inputPurpose(tenantId, jti ?? '')),
  sealed('hooks', 'signingKeyEncrypted', ['id'], hookKeyPurposeOf),
  sealed('hooks', 'headersEncrypted', ['id'], hookHeadersPurposeOf),
];

type Row = Record<string, unknown>;
type OldKeys = HookRow['oldSigningKeys'];

/** Returns the row with every encrypted value replaced by the result of `change`. */
export function changeSealed(table: Table, row: Row, change: (text: string, purpose: string) => string): Row {
  const changed = { ...row };
  for (const { column, purposeOf } of sealedColumns.filter((sealed) => sealed.table === table))
    if (row[column] !== null) changed[column] = change(row[column] as string, purposeOf(row));
  if (table === 'hooks') {
    const purpose = hookKeyPurposeOf(row as unknown as HookRow);
    changed.oldSigningKeys = (row.oldSigningKeys as OldKeys).map(({ signingKeyEncrypted, expiresAt }) => ({
      signingKeyEncrypted: change(signingKeyEncrypted, purpose),
      expiresAt,
    }));
  }
  return changed;
}
