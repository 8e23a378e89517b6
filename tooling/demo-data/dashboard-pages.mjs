/** The pages of the dashboard, with records of the demo account. */
import { createClient } from '../launch/first-trade/client.mjs';
import { pairNamed, pairsOf } from '../launch/first-trade/scenario.mjs';

/**
 * @typedef {{ path: string, heading: string | RegExp, isPublic?: boolean }} DashboardPage `path`: with `:name` for the id of a
 *   record; `isPublic`: opened without a session
 */

/** @type {readonly DashboardPage[]} */
export const PAGES = [
  { path: '/', heading: 'Overview' },
  { path: '/sign-in', heading: 'Sign in', isPublic: true },
  { path: '/trades', heading: 'Trades' },
  { path: '/trades/:trade', heading: 'Trades' },
  { path: '/trades/new', heading: 'Place order' },
  { path: '/positions', heading: 'Positions' },
  { path: '/positions/:lot', heading: 'Positions' },
  { path: '/markets', heading: 'Markets' },
  { path: '/markets/:pair', heading: /\w+\/\w+/ },
  { path: '/analytics', heading: 'Analytics' },
  { path: '/discover', heading: 'Discover' },
  { path: '/strategies', heading: 'Strategies' },
  { path: '/strategies/new', heading: 'New strategy' },
  { path: '/strategies/:strategy', heading: /./ },
  { path: '/copiers', heading: 'Copiers' },
  { path: '/copiers/new', heading: /[Cc]opy/ },
  { path: '/copiers/:copier', heading: /./ },
  { path: '/exchanges', heading: 'Exchanges' },
  { path: '/exchanges/new', heading: /^Connect/ },
  { path: '/exchanges/:account', heading: 'Exchanges' },
  { path: '/rewards', heading: 'Rewards' },
  { path: '/withdrawals', heading: 'Withdrawals' },
  { path: '/withdrawals/new', heading: 'Withdraw' },
  { path: '/withdrawals/addresses', heading: 'Address book' },
  { path: '/withdrawals/:withdrawal', heading: 'Withdrawals' },
  { path: '/notifications', heading: 'Notifications' },
  { path: '/developers/api-keys', heading: 'API keys' },
  { path: '/developers/identities', heading: 'Identities' },
  { path: '/developers/webhooks', heading: 'Webhooks' },
  { path: '/developers/webhooks/:webhook', heading: /./ },
  { path: '/developers/dead-letters', heading: 'Webhooks' },
  { path: '/developers/events', heading: 'Events' },
  { path: '/developers/events/:event', heading: 'Events' },
  { path: '/developers/events/catalogue', heading: 'Events' },
  { path: '/developers/request-log', heading: 'Request log' },
  { path: '/developers/reference', heading: 'Reference' },
  { path: '/developers/graphql', heading: 'Reference' },
  { path: '/settings', heading: 'Settings' },
  { path: '/settings/appearance', heading: 'Settings' },
  { path: '/settings/notifications', heading: 'Settings' },
  { path: '/settings/sessions', heading: 'Settings' },
  { path: '/settings/values', heading: 'Settings' },
  { path: '/status', heading: 'Status' },
];

/** The symbol of `:pair`. */
export const SYMBOL = 'BTC/USDT';

/**
 * Returns the ids of records of the demo account, by their names in paths.
 *
 * @param {{ restUrl: string, apiKey: string }} product
 */
export async function recordsOf(product) {
  const api = createClient(product);
  const newest = {
    trade: api.trades.list({ limit: 1 }),
    lot: api.lots.list({ limit: 1 }),
    strategy: api.strategies.list({ limit: 1 }),
    copier: api.copiers.list({ limit: 1 }),
    account: api.exchanges.list({ limit: 1 }),
    withdrawal: api.withdrawals.list({ limit: 1 }),
    webhook: api.webhooks.list({ limit: 1 }),
  };
  const { id: pairId } = pairNamed(SYMBOL, await pairsOf(api));
  const { data: events } = await api.events.list({ limit: 1 });
  const ids = new Map([
    ['pair', pairId],
    ['event', String(events[0]?.event_id)],
  ]);
  for (const [name, list] of Object.entries(newest)) ids.set(name, String((await list).data[0]?.id));
  return ids;
}

/**
 * Returns the address of a page.
 *
 * @param {string} path
 * @param {ReadonlyMap<string, string>} records
 */
export const withRecords = (path, records) =>
  path.replace(/:(\w+)/, (_, name) => records.get(name) ?? raise(`no record is named ${name}`));

/** @param {string} message @returns {never} */
function raise(message) {
  throw new Error(message);
}
