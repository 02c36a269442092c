import type { ServiceError } from '../../errors.ts';
import type { Flow } from '../interaction/flow.ts';
import { MAX_PASSWORD_LENGTH } from '../proofs/new-password.ts';
import { FACTORS, type IdentifierType } from '../settings.ts';
import type { Texts } from '../texts/index.ts';

/** The form or link that was refused. */
interface Refusal {
  /** The identifiers that its field accepts. */
  identifiers: readonly IdentifierType[];
  /** `target` of the connector that it is about. */
  target: unknown;
  /** Type of the second factor that it is about. */
  factor: unknown;
}

/** Returns the text for a refusal: what happened, and what to do. */
export async function faultText(flow: Flow, t: Texts, { code, data }: ServiceError, refusal: Refusal): Promise<string> {
  const seconds = data?.retryAfterSeconds;
  if (typeof seconds === 'number')
    return seconds < 90 ? t.retryInSeconds(seconds) : t.retryInMinutes(Math.ceil(seconds / 60));
  const text = t.faults[code] ?? t.otherFault;
  if (typeof text === 'string') return text;
  const { identifiers, target, factor } = refusal;
  return text({
    identifiers,
    minPasswordLength: flow.settings.passwordPolicy.minLength,
    maxPasswordLength: MAX_PASSWORD_LENGTH,
    provider: typeof target === 'string' ? (await flow.store.find('connectors', { target }))?.name : undefined,
    factor: FACTORS.find((type) => type === factor),
  });
}
