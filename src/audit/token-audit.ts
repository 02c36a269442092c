import { networkOf } from '../base/address.ts';
import type { AuditBatch } from './batch.ts';
import type { AuditEntry } from './record.ts';

/** How long the same refusal is counted instead of written. */
const WINDOW_MS = 60_000;
/** Kinds of refusals of one tenant in one window. Further ones are counted as one kind for each grant. */
const MAX_KINDS = 500;
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

interface Counted {
  /** The last one. */
  entry: AuditEntry;
  /** Those that were not written. */
  times: number;
}

/**
 * Records what the token endpoint did. An entry of a known party is written as it is. Anyone can cause refusals
 * without credentials, so of those the first of a kind is written at once, the others of its minute are counted in one
 * more entry, and both are forgotten after seven days.
 */
export class TokenAudit {
  readonly #batch: Pick<AuditBatch, 'add'>;
  /** By tenant, then by kind: strangers at one tenant use up no other's kinds. */
  #counted = new Map<string, Map<string, Counted>>();
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
    const kind = [key, applicationId ?? '', networkOf(ip ?? undefined), payload.error].join(' ');
    const expiresAt = createdAt + KEPT_MS;
    const ofTenant = this.#counted.getOrInsertComputed(tenantId, () => new Map());
    const isCounted = ofTenant.has(kind) || ofTenant.size < MAX_KINDS;
    if (isCounted) this.#count(ofTenant, kind, tenantId, { ...entry, expiresAt });
    else this.#count(ofTenant, key, tenantId, { key, result: 'Error', payload: {}, createdAt, expiresAt });
  }

  /** Writes what was counted. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counted = this.#counted;
    this.#counted = new Map();
    for (const [tenantId, kinds] of counted) {
      for (const { entry, times } of kinds.values()) {
        const payload = { ...entry.payload, count: times };
        if (times > 0) this.#batch.add(tenantId, { ...entry, payload, times });
      }
    }
  }

  #count(kinds: Map<string, Counted>, kind: string, tenantId: string, entry: AuditEntry): void {
    const known = kinds.get(kind);
    if (known) {
      known.entry = entry;
      known.times += 1;
      return;
    }
    kinds.set(kind, { entry, times: 0 });
    this.#batch.add(tenantId, entry);
    this.#timer ??= setTimeout(() => this.close(), WINDOW_MS);
  }
}
