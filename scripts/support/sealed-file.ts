import { createReadStream, createWriteStream } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Decrypter, Encrypter } from 'age-encryption';
import { refuseExisting } from './refuse-existing.ts';

/** A passphrase that is short enough to remember is also short enough to guess by brute force. */
const MIN_PASSPHRASE_LENGTH = 12;

/** @param source a file, or `-` for standard input */
export async function readPassphrase(source: string): Promise<string> {
  const given = source === '-' ? await text(process.stdin) : await readFile(source, 'utf8');
  const passphrase = given.trim();
  if (passphrase.length >= MIN_PASSPHRASE_LENGTH) return passphrase;
  throw new Error(`The passphrase must have at least ${MIN_PASSPHRASE_LENGTH} characters: openssl rand -base64 24`);
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
 * Writes lines to a compressed file that is encrypted with the passphrase, in the age format (age-encryption.org/v1):
 * scrypt, and ChaCha20-Poly1305 in chunks, so large files work and truncated or changed ones are detected. `age -d FILE
 * | gunzip` reads it without this program. The file appears complete or not at all, is readable by its owner only, and
 * replaces no existing file.
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
  if (message.startsWith('no identity')) return new Error(`The passphrase does not match ${file}.`);
  return new Error(`${file} is incomplete, or not an export: ${message}`);
}

/**
 * Yields the lines that `writeSealed` wrote. Throws, at the end at the latest, if the file was changed or truncated.
 */
export async function* readSealed(file: string, passphrase: string): AsyncIterable<string> {
  const bytes = Readable.from(decrypted(createReadStream(file), passphrase));
  const unzipped = createGunzip();
  const copied = pipeline(bytes, unzipped);
  copied.catch(() => undefined); // `await copied` reports the error, unless the caller stops reading before.
  try {
    yield* createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY });
    await copied;
  } catch (error) {
    throw faultOf(file, error as Error);
  } finally {
    unzipped.destroy();
  }
}
