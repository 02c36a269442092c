import { access } from 'node:fs/promises';

/** @throws if the path exists */
export async function refuseExisting(file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new Error(`${file} already exists.`);
}
