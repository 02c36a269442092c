import { SPEND_VIEW } from '../tokens/exchange/spend-subject-tokens.ts';
import { SETTLE_VIEW } from '../webhooks/deliveries/sqlite.ts';

/** Views with triggers, through which features write several tables in one statement on SQLite. */
export const sqliteViews = SPEND_VIEW + SETTLE_VIEW;
