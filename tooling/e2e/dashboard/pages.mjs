/**
 * The pages of the dashboard, for the tests that open each of them.
 *
 * @typedef {{
 *   path: string, heading: string, isForm?: boolean,
 * }} DashboardPage `path`: with `:name` for the id of a record; `isForm`: the page asks for input and lists nothing, so that
 *   it has no empty state
 */

/** @type {readonly DashboardPage[]} */
export const PAGES = [
  { path: '/', heading: 'Overview' },
  { path: '/trades', heading: 'Trades' },
  { path: '/trades/new', heading: 'Place order', isForm: true },
  { path: '/positions', heading: 'Positions' },
  { path: '/markets', heading: 'Markets' },
  { path: '/analytics', heading: 'Analytics' },
  { path: '/discover', heading: 'Discover' },
  { path: '/strategies', heading: 'Strategies' },
  { path: '/strategies/new', heading: 'Create strategy', isForm: true },
  { path: '/copiers', heading: 'Copiers' },
  { path: '/exchanges', heading: 'Exchanges' },
  { path: '/exchanges/new', heading: 'Connect an exchange account', isForm: true },
  { path: '/rewards', heading: 'Rewards' },
  { path: '/withdrawals', heading: 'Withdrawals' },
  { path: '/withdrawals/new', heading: 'Withdraw', isForm: true },
  { path: '/withdrawals/addresses', heading: 'Address book' },
  { path: '/notifications', heading: 'Notifications' },
  { path: '/developers/api-keys', heading: 'API keys' },
  { path: '/developers/identities', heading: 'Identities' },
  { path: '/developers/webhooks', heading: 'Webhooks' },
  { path: '/developers/dead-letters', heading: 'Dead letters' },
  { path: '/developers/events', heading: 'Events' },
  { path: '/developers/request-log', heading: 'Request log' },
  { path: '/developers/reference', heading: 'Reference' },
  { path: '/settings', heading: 'Settings' },
  { path: '/settings/sessions', heading: 'Sessions' },
  { path: '/status', heading: 'Status' },
];
