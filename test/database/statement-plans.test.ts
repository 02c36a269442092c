import { expect, it } from 'vitest';
import { userContextById } from '../../src/custom-claims/find-user-context.ts';
import { connect } from '../../src/database/connect.ts';
import { actorTokenByHash } from '../../src/tokens/exchange/find-actor-token.ts';
import { subjectTokenByHash } from '../../src/tokens/exchange/find-subject-token.ts';
import { createMigrated } from '../support/databases.ts';

// SQLite plans without statistics, so the plan on an empty database is the plan on a full one.
it.each(Object.entries({ subjectTokenByHash, actorTokenByHash, userContextById }))(
  'finds every row of %s by more than its tenant on SQLite',
  async (_name, { texts }) => {
    await using owned = await createMigrated('sqlite');
    const settings = { databaseUrl: owned.url, dataDir: owned.dataDir, poolSize: 1 };
    const database = connect(settings);
    const plan = (await database.reader.raw(`explain query plan ${texts.sqlite}`, ['[]'])) as { detail: string }[];
    await database.close();

    const steps = plan.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH)/.test(detail));
    expect(steps.length).toBeGreaterThan(2);
    expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([expect.stringContaining('SCAN wanted')]);
    // A tenant's rows of one model are many too.
    expect(steps.filter((step) => /\(tenant_id=\?( AND model=\?)?\)/.test(step))).toEqual([]);
  },
);
