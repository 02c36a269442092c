import type { Request, Response } from 'express';
import type { SecretBox } from '../../base/secret-box.ts';
import { readCookie } from '../../http/cookies.ts';
import type { Tenant } from '../../tenants.ts';
import type { Flash } from '../route.ts';
import { type Administrator, cookieName, cookieOptions, unseal } from './session.ts';

/** Between an action and the page that follows it. */
const FLASH_MS = 60_000;

/** What one administrator is told cannot be read by another, nor kept for a later session. */
const purposeOf = ({ token }: Administrator): string => `console-flash:${token}`;

/** Left for the page at `path`, and for no other: it may hold what is shown only once. */
export function leaveFlash(
  response: Response,
  home: Tenant,
  secrets: SecretBox,
  { administrator, path, flash }: { administrator: Administrator; path: string; flash: Flash },
): void {
  const sealed = secrets.seal(JSON.stringify(flash), purposeOf(administrator));
  response.cookie(cookieName(home, 'flash'), sealed, { ...cookieOptions(home, path), maxAge: FLASH_MS });
}

/** Shown once: taken with the page that it was left for. */
export function takeFlash(
  request: Request,
  response: Response,
  home: Tenant,
  secrets: SecretBox,
  administrator: Administrator,
): Flash | undefined {
  const name = cookieName(home, 'flash');
  const sealed = readCookie(request, name);
  if (sealed === undefined) return undefined;
  response.clearCookie(name, cookieOptions(home, request.path));
  const text = unseal(secrets, sealed, purposeOf(administrator));
  return text === undefined ? undefined : (JSON.parse(text) as Flash);
}
