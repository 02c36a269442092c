import type { Place } from '../../route.ts';
import { startPages } from './act-as.ts';
import { impersonationPages } from './details.ts';
import { impersonationList } from './list.ts';
import { policyPage } from './policy.ts';
import { subjectTokenPages } from './subject-tokens.ts';

/** Impersonations, subject tokens, and the impersonation policy. */
export const impersonations: Place = {
  path: '/impersonations',
  name: 'Impersonations',
  letter: 'i',
  sections: [
    { path: '/impersonations', name: 'Impersonations' },
    { path: '/impersonations/tokens', name: 'Subject tokens' },
    { path: '/impersonations/policy', name: 'Policy' },
  ],
  // Fixed paths come first, so that they are not matched as the id of an impersonation.
  routes: [impersonationList, policyPage, ...startPages, ...subjectTokenPages, ...impersonationPages],
};
