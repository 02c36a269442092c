import type { Place } from '../../route.ts';
import { deliveryPages } from './delivery.ts';
import { deliveryList } from './delivery-list.ts';
import { hookForms } from './hook-form.ts';
import { hookList, hookPages } from './hooks.ts';
import { replayPages } from './replays.ts';
import { testPages } from './test-send.ts';
import { verifyPage } from './verify.ts';

/** Who is told of what, and whether they took it. */
export const webhooks: Place = {
  path: '/webhooks',
  name: 'Webhooks',
  letter: 'w',
  sections: [
    { path: '/webhooks', name: 'Webhooks' },
    { path: '/webhooks/verify', name: 'Verify signatures' },
  ],
  // Of the paths that a webhook's id could be mistaken for, the words come first.
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
