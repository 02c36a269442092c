import { networkOf } from '../address.ts';
import type { AuditBatch } from './batch.ts';
import type { AuditEntry } from './record.ts';

/** How long the same refusal is counted instead of written. */
const WINDOW_MS = 60_000;
/** Kinds of refusals in one window. Further ones are counted as one kind for each tenant and grant. */
const MAX_KINDS = 500;
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

interface Counted {
  tenantId: string;
  /** The last one. */
  entry: AuditEntry;
  /** Those that were not written. */
  times: number;
}

/**
 * What the token endpoint records. An entry of a party that is known is written as it is. Anybody can cause refusals
 * without credentials, so of those the first of a kind is written at once, the others of its minute are counted in one
 * more entry, and both are forgotten after seven days.
 */
export class TokenAudit {
  readonly #batch: Pick<AuditBatch, 'add'>;
  #counted = new Map<string, Counted>();
  #timer: NodeJS.Timeout | undefined;

  constructor(batch: Pick<AuditBatch, 'add'>) {
    this.#batch = batch;
  }

  add(tenantId: string, entry: AuditEntry): void {
    this.#batch.add(tenantId, entry);
  }

  /** A refusal of someone who proved nothing: no secret, no token, no code. */
  addStranger(tenantId: string, entry: AuditEntry): void {
    const { key, applicationId, ip, payload, createdAt } = entry;
    const kind = [tenantId, key, applicationId ?? '', networkOf(ip ?? undefined), payload.error].join(' ');
    const expiresAt = createdAt + KEPT_MS;
    const isCounted = this.#counted.has(kind) || this.#counted.size < MAX_KINDS;
    if (isCounted) this.#count(kind, tenantId, { ...entry, expiresAt });
    else this.#count(`${tenantId} ${key}`, tenantId, { key, result: 'Error', payload: {}, createdAt, expiresAt });
  }

  /** Writes what was counted. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counted = this.#counted;
    this.#counted = new Map();
    for (const { tenantId, entry, times } of counted.values()) {
      const payload = { ...entry.payload, count: times };
      if (times > 0) this.#batch.add(tenantId, { ...entry, payload, times });
    }
  }

  #count(kind: string, tenantId: string, entry: AuditEntry): void {
    const known = this.#counted.get(kind);
    if (known) {
      known.entry = entry;
      known.times += 1;
      return;
    }
    this.#counted.set(kind, { tenantId, entry, times: 0 });
    this.#batch.add(tenantId, entry);
    this.#timer ??= setTimeout(() => this.close(), WINDOW_MS);
  }
}
