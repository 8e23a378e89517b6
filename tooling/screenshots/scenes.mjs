/** What is photographed: every page, and the drawers, dialogs and steps that matter most. */
import { ADDRESSES } from '../e2e/dashboard/pages.mjs';

/**
 * @typedef {import('playwright-core').Page} Page
 * @typedef {{
 *   name: string, path: string, isPublic?: boolean, act?: (page: Page) => Promise<void>, only?: 'wide' | 'narrow',
 * }} Scene `name`: that of the file; `path`: with the names of records in braces; `act`: what is done on the page before it is
 *   photographed; `only`: the only width that has it
 */

/** @param {string | RegExp} name @returns {(page: Page) => Promise<void>} */
const press = (name) => (page) => page.getByRole('button', { name }).first().click();
/** @param {string | RegExp} name @returns {(page: Page) => Promise<void>} */
const openTab = (name) => (page) => page.getByRole('tab', { name }).click();

/** What is done on a page that would be half empty. @type {Readonly<Record<string, Scene['act']>>} */
const ACTS = { '/developers/graphql': press(/^Execute query/) };

/** @type {readonly Scene[]} */
const FURTHER = [
  { name: 'sign-in-by-api-key', path: '/sign-in', isPublic: true, act: openTab('API key') },
  { name: 'not-found', path: '/no-such-page' },
  { name: 'command-palette', path: '/', act: (page) => page.keyboard.press('Control+K') },
  { name: 'emergency-stop', path: '/positions', act: press('Emergency stop') },
  { name: 'all-pages', path: '/', act: press('More'), only: 'narrow' },
  { name: 'trades-filter', path: '/trades', act: press('Status') },
  { name: 'trades-filtered', path: '/trades?status=FAILED' },
  { name: 'positions-closed', path: '/positions?view=closed' },
  { name: 'close-lot', path: '/positions', act: press(/^Close .* lot of/), only: 'wide' },
  { name: 'order-review', path: '/markets/{pair}', act: reviewOrder },
  { name: 'copy-2-account', path: '/copiers/new?strategy={copied}' },
  { name: 'copy-3-limits', path: '/copiers/new?copier={paused}&step=limits' },
  { name: 'copy-4-simulation', path: '/copiers/new?copier={paused}&step=simulation' },
  { name: 'copy-5-terms', path: '/copiers/new?copier={paused}&step=confirm' },
  { name: 'stop-copier', path: '/copiers/{active}', act: press('Stop copier') },
  { name: 'create-api-key', path: '/developers/api-keys?new=1' },
  { name: 'create-webhook', path: '/developers/webhooks?new=1' },
];

/** @type {readonly Scene[]} */
export const SCENES = [
  ...ADDRESSES.map(({ address, isSignedOut }) => ({
    name: nameOf(address),
    path: address,
    isPublic: isSignedOut,
    ...(address in ACTS ? { act: ACTS[address] } : {}),
  })),
  ...FURTHER,
];

/** Returns `trades-one-trade` for `/trades/{trade}`. @param {string} address */
function nameOf(address) {
  const { pathname } = new URL(address.replaceAll(/\{(\w+)\}/g, 'one-$1'), 'http://dashboard');
  return pathname === '/'
    ? 'overview'
    : pathname
        .slice(1)
        .replaceAll('/', '-')
        .replaceAll(/[A-Z]/g, (c) => `-${c.toLowerCase()}`);
}

/** @param {Page} page */
async function reviewOrder(page) {
  await page.getByLabel('Amount', { exact: true }).first().fill('0.25');
  // The best price of the sellers.
  await page.getByRole('button', { name: /^Ask / }).click();
  await page.getByRole('button', { name: /^Review / }).click();
}
