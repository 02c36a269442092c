import { copyFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { backup } from '../../scripts/backup.ts';
import { ManagementClient } from '../support/call.ts';
import { castOf } from '../support/cast.ts';
import { createDatabase } from '../support/databases.ts';
import { startService } from '../support/start-service.ts';

it('copies the database while the service writes, and the copy works', async () => {
  await using service = await startService('sqlite');
  const { dataDir, api, credentials } = service;
  await using elsewhere = await createDatabase('sqlite');
  const file = join(elsewhere.dataDir, 'understudy.db');

  let isOver = false;
  const names: string[] = [];
  const writing = (async () => {
    for (let number = 0; !isOver; number += 1) {
      await api.must('POST /users', { username: `user_${number}` });
      names.push(`user_${number}`);
    }
  })();
  while (names.length < 5) await new Promise(setImmediate);
  const acknowledged = [...names];
  const { bytes, fingerprint } = await backup(dataDir, file);
  isOver = true;
  await writing;
  expect([bytes, (await stat(file)).mode & 0o777]).toEqual([(await stat(file)).size, 0o600]);
  expect(fingerprint).toMatch(/^[\w-]{16}$/);
  await service.stop();

  await copyFile(join(dataDir, 'secret.key'), join(elsewhere.dataDir, 'secret.key'));
  await using restored = await startService('sqlite', { PORT: new URL(service.url).port }, elsewhere);
  const again = new ManagementClient(restored.url, credentials.managementApiIndicator, credentials.machine);
  for (const username of acknowledged)
    expect(await again.must(`GET /users?search.username=${username}&mode.username=exact`)).toHaveLength(1);
  const cast = castOf({ ...restored, api: again, credentials });
  await cast.spa.signIn(cast.alice);
});

it('overwrites nothing, and leaves nothing behind when it fails', async () => {
  await using place = await createDatabase('sqlite');
  const [file, broken] = [join(place.dataDir, 'copy.db'), join(place.dataDir, 'understudy.db')];
  await expect(backup(place.dataDir, file)).rejects.toThrow('understudy.db');
  await writeFile(broken, 'this is not a database, and long enough to be told apart from one'.repeat(20));
  await expect(backup(place.dataDir, file)).rejects.toThrow('not a database');
  await expect(stat(file)).rejects.toThrow('ENOENT');
  await expect(stat(`${file}.part`)).rejects.toThrow('ENOENT');
  await writeFile(file, 'kept');
  await expect(backup(place.dataDir, file)).rejects.toThrow('already');
});
