import { ServiceError } from '../errors.ts';
import { identify, setIdentifier, verifyPasswordOf } from './actions.ts';
import { type Flow, progressOf } from './flow.ts';

export type Body = Record<string, string>;

/** What each form of the pages does, by the last part of its path. */
export const forms: Record<string, (flow: Flow, body: Body) => Promise<void>> = {
  async identifier(flow, { identifier = '' }) {
    setIdentifier(flow, identifier);
  },

  async password(flow, { password = '' }) {
    const { identifier } = progressOf(flow);
    if (!identifier) throw new ServiceError('session.identifier_required');
    const verification = await verifyPasswordOf(flow, identifier, password);
    await identify(flow, verification.id);
  },
};
