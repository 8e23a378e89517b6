/** Counts the frames that a page draws, for example while a long list scrolls, for `dashboard.mjs`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { EMPTY_PAGE, inTab } from './dashboard-environment.mjs';

/** A wheel that is turned without a pause: a notch of three rows, 60 times a second. */
const WHEEL_EVERY_MS = 1_000 / 60;
const WHEEL_PX = 120;
const LISTED_WITHIN_MS = 600_000;

/**
 * Starts to count the frames of a page, and those in which the contents of the elements of `watched` changed.
 */
const startCounting = (page, watched) =>
  page.evaluate((selector) => {
    const counted = { frames: 0, paints: 0, startedAt: performance.now(), isOver: false };
    let hasChanged = false;
    const observer = new MutationObserver(() => {
      hasChanged = true;
    });
    for (const element of selector === undefined ? [] : document.querySelectorAll(selector))
      observer.observe(element, { subtree: true, childList: true, characterData: true, attributes: true });
    const onFrame = () => {
      if (counted.isOver) return observer.disconnect();
      counted.frames++;
      if (hasChanged) counted.paints++;
      hasChanged = false;
      requestAnimationFrame(onFrame);
    };
    requestAnimationFrame(onFrame);
    window.counted = counted;
  }, watched);

/** @returns frames and paints a second */
const stopCounting = (page) =>
  page.evaluate(() => {
    const { counted } = window;
    counted.isOver = true;
    const seconds = (performance.now() - counted.startedAt) / 1_000;
    return { frames: counted.frames / seconds, paints: counted.paints / seconds };
  });

/** Counts the frames of a page during some work. */
export async function count(page, watched, work) {
  await startCounting(page, watched);
  await work();
  return await stopCounting(page);
}

/**
 * Opens a list and loads all of it. Returns `scroll`, which counts the frames of one way through the list by the wheel, and
 * then those of the empty page on an equal way.
 */
export async function countScrolledFrames(environment, session, { list, rows, rounds }) {
  return await inTab(environment, session, list, async (page) => {
    await loadAll(page, rows);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    const results = [];
    for (let round = 0; round < rounds; round++) {
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.bringToFront();
      const long = await count(page, undefined, () => turnWheel(page, height));
      const shown = await page.locator('tbody tr[aria-rowindex]').last().getAttribute('aria-rowindex');
      if (Number(shown) !== rows + 1) throw new Error(`the wheel reached row ${shown} of ${rows + 1}`);
      results.push({ page: long.frames, empty: await scrollEmptyPage(environment, session, height) });
    }
    return results;
  });
}

/** The empty page gets the height of the list. */
const scrollEmptyPage = (environment, session, height) =>
  inTab(environment, session, EMPTY_PAGE, async (page) => {
    await page.evaluate((pixels) => {
      document.body.style.height = `${pixels}px`;
    }, height);
    const { frames } = await count(page, undefined, () => turnWheel(page, height));
    return frames;
  });

async function loadAll(page, rows) {
  const deadline = performance.now() + LISTED_WITHIN_MS;
  const all = page.getByText(`${rows} rows`, { exact: true });
  while ((await all.count()) === 0) {
    if (performance.now() > deadline) throw new Error(`the list did not reach ${rows} rows in 10 min`);
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await sleep(50);
  }
}

/** Turns the wheel over the whole height. An event is sent when it is due, even if the page has not handled the last one. */
async function turnWheel(page, height) {
  const { width, height: visible } = page.viewportSize();
  await page.mouse.move(width / 2, visible / 2);
  const events = Math.ceil(height / WHEEL_PX);
  const startedAt = performance.now();
  const sent = [];
  for (let i = 0; i < events; i++) {
    sent.push(page.mouse.wheel(0, WHEEL_PX));
    await sleep(Math.max(0, startedAt + (i + 1) * WHEEL_EVERY_MS - performance.now()));
  }
  await Promise.all(sent);
}
