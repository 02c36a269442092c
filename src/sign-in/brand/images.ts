import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors.ts';

/** The images of a tenant's sign-in pages. Pages in dark mode show `darkLogo` if there is one, and `logo` otherwise. */
export const IMAGE_NAMES = ['logo', 'darkLogo', 'favicon'] as const;
export type ImageName = (typeof IMAGE_NAMES)[number];

/** File names by image. */
export type Images = Partial<Record<ImageName, string>>;

export const MAX_IMAGE_BYTES = 128 * 1024;

const TYPES = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp', svg: 'image/svg+xml' } as const;
type Extension = keyof typeof TYPES;

const startsWith = (bytes: Buffer, signature: readonly number[], at = 0): boolean =>
  signature.every((byte, index) => bytes[at + index] === byte);

const asciiAt = (bytes: Buffer, from: number, to: number): string => bytes.subarray(from, to).toString('latin1');

/**
 * Elements, attributes and declarations that an SVG file must not have. The service sends SVG files with a policy that
 * lets them load and run nothing, also when they are opened by themselves; this is a second wall.
 */
const ACTIVE_SVG =
  /<!(?:doctype|entity)|<\?xml-stylesheet|<(?:\w+:)?(?:script|foreignobject|iframe|embed|object|handler|listener|set|animate\w*)\b|\bon\w+ ?=|javascript:|@import|href ?= ?["']? ?(?!["' #]|data:image\/(?:png|jpeg|webp))/i;

function isSafeSvg(bytes: Buffer): boolean {
  // Single spaces keep the search for active content linear.
  const text = bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const declaration = text.startsWith('<?xml ') ? text.indexOf('?>') + 2 : 0;
  return /^<svg[\s>]/i.test(text.slice(declaration).trim()) && !text.includes('\0') && !ACTIVE_SVG.test(text);
}

/** Returns the type of an image by its content. The name and the declared type of a file count for nothing. */
function extensionOf(bytes: Buffer): Extension | undefined {
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'png';
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return 'jpg';
  if (asciiAt(bytes, 0, 4) === 'RIFF' && asciiAt(bytes, 8, 12) === 'WEBP') return 'webp';
  return isSafeSvg(bytes) ? 'svg' : undefined;
}

/**
 * Checks an uploaded image and names its file after its content, so that browsers may cache it forever.
 *
 * @param content base64
 * @throws 400 `guard.invalid_input`
 */
export function imageFileOf(name: ImageName, content: string): { file: string; content: string } {
  const bytes = Buffer.from(content, 'base64');
  const refuse = (why: string) => new ServiceError('guard.invalid_input', { details: `body.content: ${why}` });
  if (bytes.length === 0) throw refuse('must be the base64 encoding of an image');
  if (bytes.length > MAX_IMAGE_BYTES) throw refuse(`must have at most ${MAX_IMAGE_BYTES / 1024} KiB`);
  const extension = extensionOf(bytes);
  if (!extension) throw refuse('must be a PNG, JPEG or WebP image, or an SVG image without scripts and references');
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return { file: `${name}.${digest}.${extension}`, content: bytes.toString('base64') };
}

/** The name of an image file. Anything else in a path is not looked up. */
export const IMAGE_FILE = /^(?:logo|darkLogo|favicon)\.[0-9a-f]{16}\.(png|jpg|webp|svg)$/;

export const imageTypeOf = (file: string): string | undefined => TYPES[IMAGE_FILE.exec(file)?.[1] as Extension];
