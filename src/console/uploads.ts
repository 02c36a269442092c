import express, { type Request } from 'express';
import { ServiceError } from '../errors.ts';
import { refuseControlInForm } from '../http/control-characters.ts';

/** Limit of a form with a file. The operation that receives the file has a smaller one, and says so. */
const MAX_UPLOAD_BYTES = 2 * 1024 * 1024;

/** Reads the body only. It is parsed once the administrator is known, because that takes long for many small parts. */
export const readUpload = express.raw({ type: 'multipart/form-data', limit: MAX_UPLOAD_BYTES });

/**
 * Turns a form with files into the text of any other form. A file becomes its content in base64.
 *
 * @throws 400 `guard.invalid_input`
 */
export async function parseUpload(request: Request): Promise<void> {
  if (!Buffer.isBuffer(request.body)) return;
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const form = await new Response(Uint8Array.from(request.body), { headers }).formData().catch(() => {
    throw new ServiceError('guard.invalid_input');
  });
  const fields = new URLSearchParams();
  for (const [name, value] of form)
    fields.append(name, typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64'));
  const text = String(fields);
  refuseControlInForm(request, undefined, Buffer.from(text));
  request.body = text;
}
