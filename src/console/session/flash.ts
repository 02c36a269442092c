import type { Request, Response } from 'express';
import type { SecretBox } from '../../base/secret-box.ts';
import { MINUTE_MS } from '../../base/times.ts';
import { type Cookie, clearCookie, readCookie, setCookie } from '../../http/cookies.ts';
import type { Tenant } from '../../tenants.ts';
import type { Flash } from '../route.ts';
import type { Administrator } from './session.ts';

/** The cookie of a flash. It lasts for the time between an action and the page that follows it, and only that page gets it. */
const cookieAt = (path: string): Cookie => ({ name: 'console_flash', path: `/console${path}`, maxAge: MINUTE_MS });

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
  setCookie(response, home, cookieAt(path), sealed);
}

/** Returns the flash left for this page and deletes its cookie, so it is shown once. */
export function takeFlash(
  request: Request,
  response: Response,
  home: Tenant,
  secrets: SecretBox,
  administrator: Administrator,
): Flash | undefined {
  const cookie = cookieAt(request.path);
  const sealed = readCookie(request, home, cookie);
  if (sealed === undefined) return undefined;
  clearCookie(response, home, cookie);
  return secrets.openJson(sealed, purposeOf(administrator));
}
