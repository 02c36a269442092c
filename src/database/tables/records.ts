import { FIGURES, type Figure } from '../statistics/figures.ts';
import { cached, expiring, id, json, key, number, of, orNull, table, text } from './table.ts';

const figures = Object.fromEntries(FIGURES.map((figure) => [figure, number])) as Record<Figure, typeof number>;

/** Configuration by topic, the audit log, and the figures of the overview. */
export const recordTables = {
  configs: cached({
    key: key(of<'impersonation' | 'sandbox' | 'key-rotation' | 'getting-started'>(text)),
    settings: json,
  }),
  auditLog: table({
    id,
    key: text,
    result: of<'Success' | 'Error'>(text),
    applicationId: orNull(text),
    userId: orNull(text),
    actorId: orNull(text),
    ip: orNull(text),
    userAgent: orNull(text),
    requestId: orNull(text),
    payload: json,
    createdAt: number,
    /** Null if kept as long as the tenant. */
    expiresAt: expiring(orNull(number)),
  }),
  /** The figures of one minute or one hour. */
  figures: table({ widthMs: key(number), startsAt: key(number), expiresAt: expiring(number), ...figures }),
};
