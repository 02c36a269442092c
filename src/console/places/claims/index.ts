import type { Place } from '../../route.ts';
import { environmentRoutes } from './environment.ts';
import { KINDS, kindPath } from './kinds.ts';
import { limitRoutes } from './limits.ts';
import { runRoutes } from './runs.ts';
import { scriptRoutes } from './script.ts';
import { versionRoutes } from './versions.ts';

/** Claims scripts: edit, test, and activate them; their versions, runs, environment variables, and limits. */
export const claims: Place = {
  path: '/claims',
  name: 'Custom claims',
  letter: 'c',
  sections: [
    ...KINDS.map((kind) => ({ path: kindPath(kind), name: kind.name })),
    { path: '/claims/limits', name: 'Limits' },
  ],
  routes: [
    ...KINDS.flatMap((kind) => [
      ...scriptRoutes(kind),
      ...versionRoutes(kind),
      ...runRoutes(kind),
      ...environmentRoutes(kind),
    ]),
    ...limitRoutes,
  ],
};
