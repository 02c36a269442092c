import { expect, it } from 'vitest';
import type { AuditEntry } from '../../src/audit/record.ts';
import { TokenAudit } from '../../src/audit/token-audit.ts';

const KEY = 'ExchangeTokenBy.ClientCredentials';

const refusal = (applicationId: string, ip: string): AuditEntry => ({
  key: KEY,
  result: 'Error',
  applicationId,
  ip,
  payload: { error: 'invalid_client' },
  createdAt: 1,
});

/** A token audit that records its entries, and `of` to read those of one tenant in order. */
function recorder() {
  const written: { tenantId: string; entry: AuditEntry }[] = [];
  const audit = new TokenAudit({ add: (entry) => void written.push(entry) });
  const of = (tenantId: string) => written.filter((one) => one.tenantId === tenantId).map(({ entry }) => entry);
  return { audit, of };
}

it('does not let anonymous refusals of one tenant remove details from those of another', () => {
  const { audit, of } = recorder();
  for (let index = 0; index < 2_000; index += 1)
    audit.addAnonymous('noisy', refusal('x', `2001:db8:0:${index.toString(16)}::1`));
  for (const ip of ['203.0.113.7', '203.0.113.8']) audit.addAnonymous('bank', refusal('payments', ip));
  audit.close();
  expect(of('bank')).toMatchObject([
    { applicationId: 'payments', ip: '203.0.113.7' },
    { applicationId: 'payments', ip: '203.0.113.8' },
  ]);
});

it('counts refusals beyond 500 kinds of a tenant in one shared entry', () => {
  const { audit, of } = recorder();
  for (let index = 0; index < 2_000; index += 1)
    audit.addAnonymous('noisy', refusal('x', `2001:db8:0:${index.toString(16)}::1`));
  const before = of('noisy').length;
  audit.close();
  const entries = of('noisy');
  expect(before).toBe(501);
  expect(entries).toHaveLength(502);
  expect(entries.at(-1)).toMatchObject({ key: KEY, payload: { count: 1_499 } });
});
