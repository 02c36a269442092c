import { launchBrowser } from '../../support/browser.ts';

/** A slow mobile connection. */
const BYTES_PER_SECOND = 100_000;
const LATENCY_MS = 300;

const VISITS = 5;

/**
 * Opens the page of the script editor on a slow connection, each time with an empty cache.
 *
 * @param cookie of a session of the console
 * @returns the bytes over the wire in kB, and the median time until the editor takes input
 */
export async function measureEditor(
  origin: string,
  cookie: string,
): Promise<{ editorKb: number; editorSlowMs: number }> {
  const browser = await launchBrowser();
  const times: number[] = [];
  let bytes = 0;
  try {
    for (let visit = 0; visit < VISITS; visit += 1) {
      const context = await browser.newContext();
      const [name = '', value = ''] = cookie.split('=');
      await context.addCookies([{ name, value, url: `${origin}/console` }]);
      const page = await context.newPage();
      const network = await context.newCDPSession(page);
      await network.send('Network.enable');
      await network.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: LATENCY_MS,
        downloadThroughput: BYTES_PER_SECOND,
        uploadThroughput: BYTES_PER_SECOND,
      });
      bytes = 0;
      network.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      const startedAt = performance.now();
      await page.goto(`${origin}/console/default/claims/access-token`, { waitUntil: 'commit' });
      await page.locator('.editor.ready').waitFor();
      times.push(performance.now() - startedAt);
      await page.waitForLoadState('networkidle');
      await context.close();
    }
  } finally {
    await browser.close();
  }
  const median = times.toSorted((a, b) => a - b)[Math.floor(VISITS / 2)] ?? Number.NaN;
  return { editorKb: Math.round(bytes / 1_000), editorSlowMs: Math.round(median) };
}
