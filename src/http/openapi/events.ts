import { catalogue, type EventType } from '../../events/catalogue.ts';
import { referring } from './schemas.ts';

/** What every event carries; the members of a Management API request are absent where a person acted, and vice versa. */
const EVENT_FACTS = {
  event: { type: 'string' },
  createdAt: { type: 'string', format: 'date-time' },
  userAgent: { type: 'string' },
  ip: { type: 'string' },
  interactionEvent: { type: 'string', enum: ['Register', 'SignIn', 'ForgotPassword'] },
  sessionId: { type: 'string' },
  path: { type: 'string', description: 'Without /api' },
  method: { type: 'string' },
  status: { type: 'integer' },
  params: { type: 'object', additionalProperties: { type: 'string' } },
  matchedRoute: { type: 'string', description: 'Without /api' },
  hookId: { type: 'string' },
};

/** An event as an OpenAPI webhook. */
export function webhookOf(type: EventType): object {
  const { data } = catalogue[type];
  const properties = { ...EVENT_FACTS, event: { const: type }, ...(data && { data: referring(data) }) };
  const schema = { type: 'object', required: ['event', 'createdAt', 'hookId'], properties };
  return {
    post: {
      tags: ['Events'],
      summary: type,
      requestBody: { content: { 'application/json': { schema } } },
      responses: { '2XX': { description: 'Received. Anything else is tried again.' } },
    },
  };
}
