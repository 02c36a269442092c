import type { Place } from '../../route.ts';
import { deliveryPages } from './delivery.ts';
import { deliveryList } from './delivery-list.ts';
import { hookForms } from './hook-form.ts';
import { hookList, hookPages } from './hook-pages.ts';
import { replayPages } from './replays.ts';
import { testPages } from './test-send.ts';
import { verifyPage } from './verify.ts';

/** Webhooks: their endpoints and events, deliveries, replays, and signatures. */
export const webhooks: Place = {
  path: '/webhooks',
  name: 'Webhooks',
  letter: 'w',
  sections: [
    { path: '/webhooks', name: 'Webhooks' },
    { path: '/webhooks/verify', name: 'Verify signatures' },
  ],
  // Fixed paths come first, so that they are not matched as the id of a webhook.
  routes: [
    hookList,
    verifyPage,
    ...hookForms,
    ...hookPages,
    deliveryList,
    ...deliveryPages,
    ...replayPages,
    ...testPages,
  ],
};
