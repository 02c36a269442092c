import { resolve } from 'node:path';
import { knexConfig } from './src/database/connect.ts';

/** For Knex's own command line; the server takes the same settings from `src/config/index.ts`. */
export default knexConfig({
  databaseUrl: process.env.DATABASE_DIRECT_URL || process.env.DATABASE_URL || undefined,
  dataDir: resolve(process.env.DATA_DIR || './data'),
});
