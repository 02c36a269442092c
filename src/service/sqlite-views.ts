import { spendProcedure } from '../tokens/exchange/spend-subject-tokens.ts';
import { settleProcedure } from '../webhooks/deliveries/settle.ts';

/** Views with triggers, through which features write several tables in one statement on SQLite. */
export const sqliteViews = spendProcedure.definition + settleProcedure.definition;
