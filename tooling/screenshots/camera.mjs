/** Photographs pages so that equal data gives equal pictures: without motion, and only once nothing is loading. */
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';

/**
 * @typedef {import('playwright-core').Page} Page
 * @typedef {{ width: number, height: number, theme: 'light' | 'dark' }} Look
 */

const ENCODING = { quality: 30, effort: 6 };
/** A wider picture is scaled down to this width: documents show it no wider. */
const WIDTH_MAX = 1_080;
const IDLE_MS = 400;
const SETTLED_WITHIN_MS = 180_000;
/** Skeletons, the spinners of buttons and of the GraphQL editor, and notices that cover the page for some seconds. */
const LOADING = '.animate-pulse, .animate-spin, .graphiql-spinner, [data-sonner-toast]';

/** The options of a browser's context. Locale and time zone are those of the documentation. @param {Look} look */
export const contextOptions = ({ width, height, theme }) => ({
  viewport: { width, height },
  colorScheme: theme,
  reducedMotion: /** @type {const} */ ('reduce'),
  locale: 'en-US',
  timezoneId: 'UTC',
});

/** Watches the requests of a page. Returns a function that waits until nothing is loading. @param {Page} page */
export function watchLoading(page) {
  /** @type {Set<import('playwright-core').Request>} */
  const open = new Set();
  let lastAt = performance.now();
  /** @param {import('playwright-core').Request} request */
  const end = (request) => {
    open.delete(request);
    lastAt = performance.now();
  };
  page.on('request', (request) => {
    // The stream of live data never ends.
    if (request.resourceType() !== 'eventsource') open.add(request);
  });
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  /** The browser reports no end of the script of a worker. @param {import('playwright-core').Request} request */
  const isWorker = (request) => page.workers().some((worker) => worker.url().startsWith(request.url()));

  return async () => {
    const deadline = performance.now() + SETTLED_WITHIN_MS;
    const isLoading = async () =>
      [...open].some((request) => !isWorker(request)) ||
      performance.now() - lastAt < IDLE_MS ||
      (await page.locator(LOADING).count()) > 0;
    while (await isLoading()) {
      if (performance.now() > deadline) throw new Error(`${page.url()} was still loading after 180 s`);
      await sleep(50);
    }
    await page.evaluate(async () => {
      await document.fonts.ready;
      // The charts are drawn in the frame after their data.
      for (let i = 0; i < 3; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
    });
  };
}

/** Waits until the badge of a signed-in page shows that its data is live, even behind a drawer. @param {Page} page */
export const untilLive = (page) =>
  page.locator('header [role=status]', { hasText: /^Live$/ }).waitFor({ state: 'attached' });

/** Returns the visible part of a page as WebP. @param {Page} page */
export async function photograph(page) {
  const picture = sharp(await page.screenshot());
  return await picture.resize({ width: WIDTH_MAX, withoutEnlargement: true }).webp(ENCODING).toBuffer();
}
