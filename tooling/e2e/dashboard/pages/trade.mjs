import { MISSING, ROWS } from './shared.mjs';

/** @type {readonly import('../pages.mjs').DashboardPage[]} */
export const TRADE_PAGES = [
  {
    route: '/',
    title: '',
    shows: 'text=Momentum desk',
    empty: { text: 'No order has been placed yet.', next: 'Connect exchange' },
  },
  {
    route: '/trades',
    title: 'Trades',
    shows: ROWS,
    empty: { text: 'No order has been placed yet.', next: 'Place order' },
  },
  {
    route: '/trades/[id]',
    path: '/trades/{trade}',
    title: 'Trade',
    isDrawer: true,
    shows: 'text=Order at the exchange',
    empty: MISSING,
  },
  {
    route: '/trades/new',
    title: 'Place order',
    shows: 'text=Review buy order',
    empty: { text: 'No active account of yours trades', next: 'Connect an exchange' },
    refusal: 'This session may not trade.',
  },
  {
    route: '/positions',
    title: 'Positions',
    shows: ROWS,
    empty: { text: 'Nothing is open.', next: 'Place order' },
  },
  {
    route: '/positions',
    path: '/positions?view=closed',
    title: 'Positions',
    shows: ROWS,
    empty: { text: 'No lot has been closed yet.', next: 'Show open lots' },
  },
  {
    route: '/positions/[id]',
    path: '/positions/{lot}',
    title: 'Position',
    isDrawer: true,
    shows: 'text=Opened',
    empty: MISSING,
  },
  {
    route: '/markets',
    title: 'Markets',
    shows: ROWS,
    empty: {
      text: 'No exchange has reported its pairs yet.',
      next: 'Show status',
      isByResponse: true,
    },
  },
  {
    route: '/markets/[id]',
    path: '/markets/{pair}',
    title: 'Market',
    isNamed: true,
    shows: 'text=Live. Click a price',
    empty: { ...MISSING, path: '/markets/{unknownPair}' },
  },
  {
    route: '/analytics',
    title: 'Analytics',
    shows: 'text=Profit factor',
    empty: { text: 'There is no trade to analyse yet.', next: 'Place order' },
  },
];
