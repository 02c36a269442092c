import { access } from 'node:fs/promises';

/** @throws when there is something at this path */
export async function refuseExisting(file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new Error(`There is a ${file} already.`);
}
