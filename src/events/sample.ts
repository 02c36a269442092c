import { exampleOf } from '../base/example.ts';
import { User } from '../entities.ts';
import { catalogue, type EventType } from './catalogue.ts';

/** Events of the sign-in pages, with their `interactionEvent`. */
const INTERACTIONS: Partial<Record<EventType, string>> = {
  PostRegister: 'Register',
  PostSignIn: 'SignIn',
  PostResetPassword: 'ForgotPassword',
};

const interaction = (interactionEvent: string) => ({
  interactionEvent,
  sessionId: 'V1StGXR8Z5jdHi6BmyT0w',
  userId: 'r2d6q0w8k1x5',
  userIp: '192.0.2.1',
  user: exampleOf(User),
  application: { id: '4kq9x2m7w1d8e5r3t6y0u', type: 'SPA', name: 'Shop', description: null },
});

/** Returns an event body with sample data, without `hookId`. */
export function sampleOf(type: EventType, now: number): Record<string, unknown> {
  const { data } = catalogue[type];
  const interactionEvent = INTERACTIONS[type];
  return {
    event: type,
    createdAt: new Date(now).toISOString(),
    userAgent: 'Understudy test',
    ip: '192.0.2.1',
    ...(interactionEvent && interaction(interactionEvent)),
    ...(type === 'Organization.Membership.Updated' && {
      organizationId: 'x7k2m9q4w1ab',
      addedUserIds: ['r2d6q0w8k1x5'],
    }),
    ...(data && { data: exampleOf(data) }),
  };
}
