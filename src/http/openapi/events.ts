import { catalogue, type EventType } from '../../events/catalogue.ts';
import { referring } from './schemas.ts';

/**
 * Fields of every event. An event of a Management API request has those of the request, and one of a sign-in those of
 * the interaction.
 */
const EVENT_FACTS = {
  event: { type: 'string' },
  createdAt: { type: 'string', format: 'date-time' },
  userAgent: { type: 'string' },
  ip: { type: 'string' },
  interactionEvent: { type: 'string', enum: ['Register', 'SignIn', 'ForgotPassword'] },
  sessionId: { type: 'string' },
  path: { type: 'string', description: 'Path of the request, without /api' },
  method: { type: 'string' },
  status: { type: 'integer' },
  params: { type: 'object', additionalProperties: { type: 'string' } },
  matchedRoute: { type: 'string', description: 'Route of the operation, without /api' },
  hookId: { type: 'string' },
};

/** Returns an event type as an OpenAPI webhook. */
export function webhookOf(type: EventType): object {
  const { data } = catalogue[type];
  const properties = { ...EVENT_FACTS, event: { const: type }, ...(data && { data: referring(data) }) };
  const schema = { type: 'object', required: ['event', 'createdAt', 'hookId'], properties };
  return {
    post: {
      tags: ['Events'],
      summary: type,
      requestBody: { content: { 'application/json': { schema } } },
      responses: { '2XX': { description: 'Delivered. Any other response is retried.' } },
    },
  };
}
