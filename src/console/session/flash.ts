import type { Request, Response } from 'express';
import type { SecretBox } from '../../base/secret-box.ts';
import { readCookie } from '../../http/cookies.ts';
import type { Tenant } from '../../tenants.ts';
import type { Flash } from '../route.ts';
import { type Administrator, cookieName, cookieOptions, unseal } from './session.ts';

/** Time allowed between an action and the page that follows it. */
const FLASH_MS = 60_000;

/** Binds a flash to one session: neither another administrator nor a later session can open it. */
const purposeOf = ({ token }: Administrator): string => `console-flash:${token}`;

/** Leaves a flash for the page at `path` only, because it may contain a secret that is shown once. */
export function leaveFlash(
  response: Response,
  home: Tenant,
  secrets: SecretBox,
  { administrator, path, flash }: { administrator: Administrator; path: string; flash: Flash },
): void {
  const sealed = secrets.seal(JSON.stringify(flash), purposeOf(administrator));
  response.cookie(cookieName(home, 'flash'), sealed, { ...cookieOptions(home, path), maxAge: FLASH_MS });
}

/** Returns the flash left for this page and deletes its cookie, so it is shown once. */
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
