/**
 * The pages of the dashboard, for the tests, the screenshots and the benchmark that open each of them. `pages.spec.mjs` compares
 * them with the routes of the app, so that a new page without an entry fails.
 */
import { ACCOUNT_PAGES } from './pages/account.mjs';
import { COPY_PAGES } from './pages/copy.mjs';
import { DEVELOPERS_PAGES } from './pages/developers.mjs';
import { SIGNED_OUT_PAGES } from './pages/signed-out.mjs';
import { TRADE_PAGES } from './pages/trade.mjs';

/** @typedef {import('./page-states.mjs').PageState} PageState */

/**
 * @typedef {{
 *   route: string, path?: string, title: string, isNamed?: boolean, shows: string, isDrawer?: boolean, isSignedOut?: boolean,
 *   act?: (page: import('playwright-core').Page) => Promise<unknown>,
 *   empty?: { text: string, next: string, path?: string, isByResponse?: boolean },
 *   refusal?: string, failure?: string, status?: number,
 *   without?: Partial<Record<PageState, string>>,
 *   exceptions?: readonly { rule: string, element: string, reason: string }[],
 * }} DashboardPage
 *
 * - `route`: the folder of the page in the app; `path`: its address if it differs, with the names of records in braces
 * - `title`: the title of the document, without the name of the product
 * - `isNamed`: the title begins with the name of the record once the page knows it
 * - `shows`: selects what only the content has
 * - `isDrawer`: the states are those of a drawer beside a list
 * - `act`: what brings the page to its content
 * - `empty`: the sentence and the next step of an account without data, or of emptied responses if every account has data
 * - `refusal`: what a session with READ alone sees, if the page refuses it before the API does
 * - `failure`: how a failure is shown, if not by the usual notice with the request id
 * - `status`: the status of a failed response that the content consists of
 * - `without`: the states that the page cannot have, with the reason
 * - `exceptions`: violations of third-party components that cannot be corrected, with the reason
 */

/** @type {readonly DashboardPage[]} */
export const PAGES = [
  ...TRADE_PAGES,
  ...COPY_PAGES,
  ...ACCOUNT_PAGES,
  ...DEVELOPERS_PAGES,
  ...SIGNED_OUT_PAGES,
];

/**
 * The address of each page, with the names of records in braces: each route once, as its first entry.
 *
 * @type {readonly { address: string, isSignedOut: boolean }[]}
 */
export const ADDRESSES = PAGES.filter(
  ({ route }, i) => route !== 'not-found' && PAGES.findIndex((page) => page.route === route) === i,
).map(({ route, path = route, isSignedOut = false }) => ({ address: path, isSignedOut }));

/**
 * Returns an address with the ids of records.
 *
 * @param {string} address
 * @param {Readonly<Record<string, string>>} records
 */
export const withRecords = (address, records) =>
  address.replace(/\{(\w+)\}/g, (_, name) => records[name] ?? raise(`no record is named ${name}`));

/** @param {string} message @returns {never} */
function raise(message) {
  throw new Error(message);
}
