/** Photographs pages so that equal data gives equal pictures: without motion, and only once nothing is loading. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @typedef {import('playwright-core').Page} Page
 * @typedef {{ width: number, height: number, theme: 'light' | 'dark' }} Look
 */

const QUALITY = 60;
const IDLE_MS = 400;
const SETTLED_WITHIN_MS = 60_000;
/** Skeletons, and the spinners of buttons. */
const LOADING = '.animate-pulse, .animate-spin';

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
  let [open, lastAt] = [0, performance.now()];
  /** @param {import('playwright-core').Request} request @param {number} change */
  const count = (request, change) => {
    // The stream of live data never ends.
    if (request.resourceType() === 'eventsource') return;
    open += change;
    lastAt = performance.now();
  };
  page.on('request', (request) => count(request, 1));
  page.on('requestfinished', (request) => count(request, -1));
  page.on('requestfailed', (request) => count(request, -1));

  return async () => {
    const deadline = performance.now() + SETTLED_WITHIN_MS;
    const isLoading = async () =>
      open > 0 || performance.now() - lastAt < IDLE_MS || (await page.locator(LOADING).count()) > 0;
    while (await isLoading()) {
      if (performance.now() > deadline) throw new Error(`${page.url()} was still loading after 60 s`);
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
  const browser = await page.context().newCDPSession(page);
  const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await browser.detach();
  return Buffer.from(data, 'base64');
}
