import { MISSING, ROWS } from './shared.mjs';

/** @type {readonly import('../pages.mjs').DashboardPage[]} */
export const ACCOUNT_PAGES = [
  {
    route: '/exchanges',
    title: 'Exchanges',
    shows: 'text=Momentum desk',
    empty: { text: 'No exchange account is connected yet.', next: 'Connect exchange' },
  },
  {
    route: '/exchanges/[id]',
    path: '/exchanges/{account}',
    title: 'Exchange account',
    isNamed: true,
    isDrawer: true,
    shows: 'text=Balances read',
    empty: MISSING,
  },
  {
    route: '/exchanges/new',
    title: 'Connect exchange',
    shows: 'role=radio',
    empty: { text: 'No exchange can be connected at the moment.', next: 'Show status', isByResponse: true },
    refusal: 'This session may not connect exchanges.',
  },
  {
    route: '/rewards',
    title: 'Rewards',
    shows: ROWS,
    empty: { text: 'You have no rewards yet.', next: 'Connect an exchange account' },
  },
  {
    route: '/withdrawals',
    title: 'Withdrawals',
    shows: ROWS,
    empty: { text: 'You have not withdrawn tokens yet.', next: 'Withdraw tokens' },
  },
  {
    route: '/withdrawals/[id]',
    path: '/withdrawals/{withdrawal}',
    title: 'Withdrawal',
    isDrawer: true,
    shows: 'text=What happened',
    empty: MISSING,
  },
  {
    route: '/withdrawals/new',
    title: 'Withdraw tokens',
    shows: 'role=textbox',
    empty: { text: 'Your available balance is empty.', next: 'Claim rewards' },
    refusal: 'This session may not withdraw.',
  },
  {
    route: '/withdrawals/addresses',
    title: 'Address book',
    shows: 'text=Hardware wallet',
    empty: { text: 'Your address book is empty.', next: 'Add address' },
    refusal: 'This session may not see the address book.',
  },
  {
    route: '/notifications',
    title: 'Notifications',
    shows: 'section li',
    empty: { text: 'You have no notifications yet.', next: 'Choose what notifies you', isByResponse: true },
  },
  {
    route: '/settings',
    title: 'Settings',
    shows: 'h2:has-text("This session")',
    without: { empty: 'Every account has a profile.' },
  },
  {
    route: '/settings/appearance',
    title: 'Appearance',
    shows: 'role=combobox',
    without: {
      loading: 'It is kept in the browser.',
      empty: 'Every preference has a default.',
      error: 'It is kept in the browser.',
      'no permission': 'It is kept in the browser.',
      stale: 'It is kept in the browser.',
    },
  },
  {
    route: '/settings/sessions',
    title: 'Sessions',
    shows: 'text=This browser',
    without: { empty: 'The session that shows the page is open.' },
  },
  {
    route: '/settings/notifications',
    title: 'Notification preferences',
    shows: 'role=checkbox',
    without: { empty: 'Every kind of notification has a default.' },
  },
  {
    route: '/settings/values',
    title: 'Stored values',
    shows: ROWS,
    empty: { text: 'No value is stored yet.', next: 'Add value', isByResponse: true },
  },
  {
    route: '/status',
    title: 'Status',
    shows: 'text=Parts of the service',
    without: { empty: 'The service always has parts.' },
  },
];
