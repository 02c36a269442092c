import chromium from '@sparticuz/chromium';

/**
 * Where the browser from npm lies, unpacked the first time, or the one of `CHROMIUM_PATH`. Apart from `browser.ts`, which
 * only tests can load: it is asked before there are any.
 */
export async function browserPath(): Promise<string> {
  return process.env.CHROMIUM_PATH ?? chromium.executablePath();
}
