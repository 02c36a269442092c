import { createReadStream, createWriteStream } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Decrypter, Encrypter } from 'age-encryption';
import { refuseExisting } from './refuse-existing.ts';

/** What a person could remember is also what a machine could guess. */
const LEAST_PASSPHRASE = 12;

/** @param source a file, or `-`: the standard input */
export async function readPassphrase(source: string): Promise<string> {
  const given = source === '-' ? await text(process.stdin) : await readFile(source, 'utf8');
  const passphrase = given.trim();
  if (passphrase.length >= LEAST_PASSPHRASE) return passphrase;
  throw new Error(`The passphrase must have ${LEAST_PASSPHRASE} characters or more: openssl rand -base64 24`);
}

type Bytes = AsyncIterable<Uint8Array>;

async function* encrypted(source: Bytes, passphrase: string): Bytes {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  yield* await encrypter.encrypt(Readable.toWeb(Readable.from(source)) as ReadableStream<Uint8Array>);
}

async function* decrypted(source: Bytes, passphrase: string): Bytes {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  yield* await decrypter.decrypt(Readable.toWeb(Readable.from(source)) as ReadableStream<Uint8Array>);
}

/**
 * Lines in a compressed file that only the passphrase opens, in the format of age (age-encryption.org/v1): scrypt, and
 * ChaCha20-Poly1305 by pieces, so that neither a large file nor a cut or changed one is a problem. Without us it is
 * read by `age -d FILE | gunzip`. The file appears whole or not at all, readable by its owner alone, and replaces none.
 */
export async function writeSealed(file: string, passphrase: string, lines: AsyncIterable<string>): Promise<void> {
  await refuseExisting(file);
  const draft = `${file}.part`;
  const target = await open(draft, 'wx', 0o600);
  try {
    await pipeline(
      Readable.from(lines),
      createGzip(),
      (source: Bytes) => encrypted(source, passphrase),
      createWriteStream('', { fd: target, flush: true }),
    );
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function faultOf(file: string, { message }: Error): Error {
  if (message.startsWith('no identity')) return new Error(`The passphrase is not the one of ${file}.`);
  return new Error(`${file} is not whole, or no export: ${message}`);
}

/** The lines of `writeSealed`. Throws, at the latest at the end, when the file is not exactly what was written. */
export async function* readSealed(file: string, passphrase: string): AsyncIterable<string> {
  const bytes = Readable.from(decrypted(createReadStream(file), passphrase));
  const unzipped = createGunzip();
  const copied = pipeline(bytes, unzipped);
  copied.catch(() => undefined); // Told by `await copied`, unless nobody reads that far.
  try {
    yield* createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY });
    await copied;
  } catch (error) {
    throw faultOf(file, error as Error);
  } finally {
    unzipped.destroy();
  }
}
