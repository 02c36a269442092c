import { type BulkAction, bulkRoute } from '../../parts/bulk.ts';

export const ENDING: BulkAction = {
  id: 'end-selected',
  path: '/impersonations/end-selected',
  list: { path: '/impersonations', label: 'Impersonations' },
  label: 'End selected',
  noun: 'impersonation',
  done: 'ended',
  title: (count) => `End ${count}`,
  warning: 'The actors stop acting as these users within a second. This can’t be undone.',
  needs: 'POST /impersonations/:id/revoke',
  run: ({ perform }, id) => perform('POST /impersonations/:id/revoke', { params: { id } }),
};

export const endSelected = bulkRoute(ENDING);
