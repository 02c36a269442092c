import type { Place } from '../../route.ts';
import { impersonationList } from './list.ts';
import { impersonationPages } from './one.ts';
import { policyPage } from './policy.ts';
import { startPages } from './start.ts';
import { subjectTokenPages } from './subject-tokens.ts';

/** Who acts as whom, why, and how to end it. */
export const impersonations: Place = {
  path: '/impersonations',
  name: 'Impersonations',
  letter: 'i',
  sections: [
    { path: '/impersonations', name: 'Impersonations' },
    { path: '/impersonations/tokens', name: 'Subject tokens' },
    { path: '/impersonations/policy', name: 'Policy' },
  ],
  // Of the paths that an id could be mistaken for, the words come first.
  routes: [impersonationList, policyPage, ...startPages, ...subjectTokenPages, ...impersonationPages],
};
