import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openBrowser, signInByApiKey } from '../e2e/dashboard/browser.mjs';
import { recordsOf } from '../e2e/dashboard/page-people.mjs';
import { withRecords } from '../e2e/dashboard/pages.mjs';
import { createClient } from '../launch/first-trade/client.mjs';
import { contextOptions, photograph, untilLive, watchLoading } from './camera.mjs';
import { SCENES } from './scenes.mjs';

const SIZES = /** @type {const} */ ({
  wide: { width: 1440, height: 900 },
  narrow: { width: 360, height: 780 },
});
const THEMES = /** @type {const} */ (['light', 'dark']);

/**
 * @typedef {{ dashboardUrl: string, restUrl: string, apiKey: string }} Product
 *
 * Photographs the scenes into one folder for each theme and width.
 *
 * @param {Product} product
 * @param {{ out: string, only: string, print: (line: string) => void }} options
 */
export async function photographAll(product, { out, only, print }) {
  const records = await recordsForScenes(product);
  const scenes = SCENES.filter(({ name }) => name.startsWith(only));
  if (scenes.length === 0) throw new Error(`no scene begins with ${only}`);
  const browser = await openBrowser(product.dashboardUrl);
  try {
    for (const theme of THEMES)
      for (const [size, viewport] of Object.entries(SIZES)) {
        const folder = join(out, `${theme}-${viewport.width}`);
        mkdirSync(folder, { recursive: true });
        const look = contextOptions({ ...viewport, theme });
        const shown = scenes.filter((scene) => scene.only === undefined || scene.only === size);
        await photographScenes({ browser, look, records, scenes: shown, folder, apiKey: product.apiKey });
        print(`${shown.length} pictures in ${folder}`);
      }
  } finally {
    await browser.close();
  }
}

/**
 * @param {{
 *   browser: import('../e2e/dashboard/browser.mjs').Browser, look: ReturnType<typeof contextOptions>,
 *   records: Readonly<Record<string, string>>, scenes: readonly import('./scenes.mjs').Scene[], folder: string, apiKey: string,
 * }} options
 */
async function photographScenes({ browser, look, records, scenes, folder, apiKey }) {
  const visitor = await browser.newPerson(look);
  const user = await browser.newPerson(look);
  await signInByApiKey(user.page, apiKey);
  for (const { name, path, isPublic = false, act } of scenes) {
    // A page of its own, so that no scene depends on the ones before it.
    const page = await (isPublic ? visitor : user).context.newPage();
    const untilSettled = watchLoading(page);
    try {
      await page.goto(withRecords(path, records));
      await untilSettled();
      if (!isPublic && name !== 'not-found') await untilLive(page);
      if (act !== undefined) {
        await act(page);
        await untilSettled();
      }
      writeFileSync(join(folder, `${name}.webp`), await photograph(page));
    } catch (error) {
      throw new Error(`${name} could not be photographed`, { cause: error });
    } finally {
      await page.close();
    }
  }
  await visitor.context.close();
  await user.context.close();
}

/** @param {Product} product */
async function recordsForScenes(product) {
  const api = createClient(product);
  const { data: copiers } = await api.copiers.list({ limit: 100 });
  const { data: offered } = await api.strategies.list({ visibility: 'PUBLIC', status: 'ACTIVE', limit: 100 });
  const further = {
    active: copiers.find(({ status }) => status === 'ACTIVE'),
    paused: copiers.find(({ status }) => status === 'PAUSED'),
    copied: offered.find(({ exchange_account_id: own }) => own === undefined),
  };
  const ids = Object.entries(further).map(([name, record]) => {
    if (record === undefined) throw new Error(`the demo account has no record for ${name}`);
    return [name, record.id];
  });
  return { ...(await recordsOf(api)), ...Object.fromEntries(ids) };
}
