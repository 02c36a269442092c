import { networkOf } from '../base/address.ts';
import { DAY_MS, MINUTE_MS } from '../base/times.ts';
import type { AuditBatch } from './batch.ts';
import type { AuditEntry } from './record.ts';

/** How long repeated refusals of one kind are counted instead of written. */
const WINDOW_MS = MINUTE_MS;
/** Kinds of refusal per tenant and window. Further kinds share one entry per grant. */
const MAX_KINDS = 500;
/** How long the entries of anonymous refusals are kept. */
const KEPT_MS = 7 * DAY_MS;

interface RefusalCount {
  /** The most recent refusal of the kind. */
  entry: AuditEntry;
  /** Refusals that were counted but not written. */
  count: number;
}

/**
 * Records what the token endpoint issues and refuses. Entries about an authenticated client or a known user are written
 * one by one. Anonymous callers can cause any number of refusals, so only the first of a kind is written at once; the
 * others of that minute share one more entry with a count. Both are deleted after seven days.
 */
export class TokenAudit {
  readonly #batch: Pick<AuditBatch, 'add'>;
  /** By tenant, then by kind, so that anonymous callers of one tenant cannot use up the kinds of another. */
  #counted = new Map<string, Map<string, RefusalCount>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(batch: Pick<AuditBatch, 'add'>) {
    this.#batch = batch;
  }

  add(tenantId: string, entry: AuditEntry): void {
    this.#batch.add({ tenantId, entry });
  }

  /** Records the refusal of an anonymous caller, who proved neither a secret nor a token nor a code. */
  addAnonymous(tenantId: string, entry: AuditEntry): void {
    const { key, applicationId, ip, payload, createdAt } = entry;
    const kind = [key, applicationId ?? '', networkOf(ip ?? undefined), payload.error].join(' ');
    const expiresAt = createdAt + KEPT_MS;
    const ofTenant = this.#counted.getOrInsertComputed(tenantId, () => new Map());
    const isCounted = ofTenant.has(kind) || ofTenant.size < MAX_KINDS;
    if (isCounted) this.#count(ofTenant, kind, tenantId, { ...entry, expiresAt });
    else this.#count(ofTenant, key, tenantId, { key, result: 'Error', payload: {}, createdAt, expiresAt });
  }

  /** Writes the counts of the current window and starts a new one. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counted = this.#counted;
    this.#counted = new Map();
    for (const [tenantId, kinds] of counted) {
      for (const { entry, count } of kinds.values()) {
        const payload = { ...entry.payload, count };
        if (count > 0) this.#batch.add({ tenantId, entry: { ...entry, payload, count } });
      }
    }
  }

  #count(kinds: Map<string, RefusalCount>, kind: string, tenantId: string, entry: AuditEntry): void {
    const known = kinds.get(kind);
    if (known) {
      known.entry = entry;
      known.count += 1;
      return;
    }
    kinds.set(kind, { entry, count: 0 });
    this.#batch.add({ tenantId, entry });
    this.#timer ??= setTimeout(() => this.close(), WINDOW_MS);
  }
}
