import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleEditor, bundleFile } from '../../scripts/support/editor-bundle.ts';
import { ConsoleStage } from './stage.ts';

const MAX_BYTES = 200_000;

describe('the bundle of the script editor', () => {
  it('is what the installed versions give: `npm run cli -- bundle-editor` writes it', async () => {
    expect(readFileSync(bundleFile, 'utf8') === (await bundleEditor())).toBe(true);
  });

  it(`has at most ${MAX_BYTES / 1_000} kB compressed`, () => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
    expect(brotliCompressSync(readFileSync(bundleFile), { params }).length).toBeLessThan(MAX_BYTES);
  });
});

describe('the page of the script editor', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await ConsoleStage.open('sqlite');
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it('transfers at most 200 kB, all of it at once', async () => {
    const { page } = stage;
    const scripts: string[] = [];
    let bytes = 0;
    page.on('requestfinished', async (request) => {
      if (request.resourceType() === 'script') scripts.push(request.url());
      const { responseBodySize, responseHeadersSize } = await request.sizes();
      bytes += responseBodySize + responseHeadersSize;
    });
    await stage.open('/claims/access-token');
    await page.locator('.cm-content').waitFor();
    const preloaded = await page.evaluate<string[]>(
      "[...document.querySelectorAll('link[rel=modulepreload], script[src]')].map(({ href, src }) => href ?? src)",
    );
    expect(scripts.length).toBeGreaterThan(2);
    expect(scripts.filter((url) => !preloaded.includes(url))).toEqual([]);
    await expect.poll(() => bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  it('leaves the stream of live updates uncompressed', async () => {
    await stage.open('/overview');
    const headers = await stage.page.evaluate<Record<string, string>>(
      'fetch(document.body.dataset.live).then(({ headers }) => Object.fromEntries(headers))',
    );
    expect(headers['content-type']).toContain('text/event-stream');
    expect(headers['content-encoding']).toBeUndefined();
  });
});
