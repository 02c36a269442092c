import chromium from '@sparticuz/chromium';

/**
 * Returns the path of the browser from npm, unpacked at the first use, or of `CHROMIUM_PATH`. It is separate from
 * `browser.ts`, which only tests can load, because the setup needs it before any test runs.
 */
export async function browserPath(): Promise<string> {
  return process.env.CHROMIUM_PATH ?? chromium.executablePath();
}
