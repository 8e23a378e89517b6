/** Loads a page in a browser without a cache, uses its controls, and measures both, for `dashboard.mjs`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import {
  layoutShiftOf,
  SHORTEST_EVENT_MS,
  scriptSizesOf,
  slowestInteractionOf,
} from './dashboard-figures.mjs';

const IDLE_MS = 500;
const TAB_STARTED_MS = 800;
const SETTLED_WITHIN_MS = 60_000;
const INPUTS = 3;
/** Controls that a person opens, chooses or types into. None of them changes a record. */
const CONTROLS = [
  '[role=tab]',
  '[role=radio]',
  '[role=combobox]',
  '[aria-haspopup]',
  '[aria-expanded]',
  'input:not([type=checkbox],[type=radio],[type=hidden],[type=file])',
  'textarea',
].join(',');

/** Runs in the page before its own scripts. */
function observe(shortestMs) {
  const measured = { shifts: [], events: [], paintedAt: 0 };
  const on = (type, take, options) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({
      type,
      buffered: true,
      ...options,
    });
  on('layout-shift', ({ startTime, value, hadRecentInput }) => {
    if (!hadRecentInput) measured.shifts.push({ at: startTime, value });
  });
  on('largest-contentful-paint', ({ startTime }) => {
    measured.paintedAt = startTime;
  });
  const onEvent = ({ interactionId, duration, name }) =>
    measured.events.push({ interactionId, duration, name });
  on('event', onEvent, { durationThreshold: shortestMs });
  on('first-input', onEvent);
  window.measured = measured;
  // The browser reports an input that changes nothing with the next frame that repaints text, whenever that is, for example
  // 150 ms later when a request has ended. So each input changes the heading's colour by one step.
  let inputs = 0;
  const change = () => {
    inputs += 1;
    document.querySelector('h1').style.color = `rgb(${inputs % 256} 0 0)`;
  };
  for (const input of ['pointerdown', 'pointerup', 'keydown', 'keyup'])
    window.addEventListener(input, change, { capture: true, passive: true });
}

/**
 * @param {import('../tooling/e2e/dashboard/browser.mjs').Browser} browser
 * @param {{ url: string, heading: string | RegExp }} page
 * @param {object | undefined} session the cookies of a signed-in browser
 * @returns {Promise<{ paintMs: number, shift: number, inputMs: number, scripts: { first: number, later: number } }>}
 */
export async function visit(browser, { url, heading }, session) {
  const { context, page } = await browser.newPerson({
    reducedMotion: 'no-preference',
    ...(session === undefined ? {} : { storageState: session }),
  });
  try {
    const network = await watchNetwork(context, page);
    await page.addInitScript(observe, SHORTEST_EVENT_MS);
    // The browser still starts processes for the tab, which the person would not wait for.
    await sleep(TAB_STARTED_MS);
    await page.goto(url, { waitUntil: 'load' });
    // A drawer hides what is behind it from screen readers.
    await page.getByRole('heading', { level: 1, name: heading, includeHidden: true }).first().waitFor();
    await untilSettled(page, network);
    const loadedAt = await page.evaluate(() => performance.getEntriesByType('navigation')[0].loadEventEnd);
    const { paintedAt: paintMs } = await page.evaluate(() => window.measured);
    const scripts = scriptSizesOf(await network.scripts(), Math.max(loadedAt, paintMs));
    await useControls(page);
    const { shifts, events } = await page.evaluate(() => window.measured);
    return { paintMs, shift: layoutShiftOf(shifts), inputMs: slowestInteractionOf(events), scripts };
  } finally {
    await context.close();
  }
}

/** Records the requests of a page, whose cache is disabled. */
async function watchNetwork(context, page) {
  const network = await context.newCDPSession(page);
  const [scripts, open] = [new Map(), new Set()];
  let [navigatedAt, lastAt] = [undefined, performance.now()];
  network.on('Network.requestWillBeSent', ({ requestId, type, timestamp, request }) => {
    navigatedAt ??= timestamp;
    if (type !== 'EventSource' && type !== 'Ping') open.add(requestId);
    if (type === 'Script')
      scripts.set(requestId, { url: request.url, requestedAt: (timestamp - navigatedAt) * 1_000 });
  });
  network.on('Network.responseReceived', ({ requestId, response }) => {
    const script = scripts.get(requestId);
    if (script === undefined) return;
    script.isGzip = (response.headers['Content-Encoding'] ?? response.headers['content-encoding']) === 'gzip';
    script.headerBytes = response.encodedDataLength;
  });
  const end = ({ requestId, encodedDataLength }) => {
    open.delete(requestId);
    lastAt = performance.now();
    const script = scripts.get(requestId);
    if (script !== undefined) script.bytes = encodedDataLength - script.headerBytes;
  };
  network.on('Network.loadingFinished', end);
  network.on('Network.loadingFailed', end);
  await network.send('Network.enable');
  await network.send('Network.setCacheDisabled', { cacheDisabled: true });
  /** The browser reports no end of the script of a worker, which runs beside the page. */
  const isWorker = (requestId) =>
    page.workers().some((worker) => worker.url().startsWith(scripts.get(requestId)?.url));
  return {
    isIdle: () => [...open].every(isWorker) && performance.now() - lastAt > IDLE_MS,
    /** Returns each script once, with the bytes of its body, compressed by gzip. */
    async scripts() {
      const byUrl = new Map();
      for (const [requestId, script] of scripts) {
        if (isWorker(requestId)) continue;
        if (!script.isGzip) {
          const { body, base64Encoded } = await network.send('Network.getResponseBody', { requestId });
          const content = Buffer.from(body, base64Encoded ? 'base64' : 'utf8');
          script.bytes = gzipSync(content, { level: 9 }).length;
        }
        if (!byUrl.has(script.url)) byUrl.set(script.url, script);
      }
      return [...byUrl.values()];
    },
  };
}

/** Waits until nothing is loading: neither a request nor a skeleton. */
async function untilSettled(page, network) {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  const isLoading = () => page.locator('.animate-pulse').count();
  while (!network.isIdle() || (await isLoading()) > 0) {
    if (performance.now() > deadline) throw new Error(`${page.url()} was still loading after 60 s`);
    await sleep(50);
  }
}

/**
 * Clicks some controls with a real mouse, and presses keys. A page without such controls, as the empty page, gets the same
 * inputs on its heading.
 */
async function useControls(page) {
  const controls = page.locator(`main :is(${CONTROLS}):visible:enabled`);
  const count = await controls.count();
  for (let i = 0; i < INPUTS; i++) {
    const control = count === 0 ? page.locator('h1').first() : controls.nth(i % count);
    // A trigger is replaced when its library arrives, for which Playwright's own way to scroll does not wait.
    await control.evaluate((element) => element.scrollIntoView({ block: 'nearest' }));
    const box = await control.boundingBox();
    if (box === null) continue;
    await page.mouse.click(box.x + box.width / 2, box.y + Math.min(box.height / 2, 12));
    await paint(page);
    for (const key of ['ArrowDown', '1', 'Backspace', 'Escape']) {
      await page.keyboard.press(key);
      await paint(page);
    }
  }
}

/** Waits until the page has drawn the result of an input, and the browser has reported it. */
const paint = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 30))),
      ),
  );
