import { MISSING, ROWS } from './shared.mjs';

/** @type {readonly import('../pages.mjs').DashboardPage[]} */
export const COPY_PAGES = [
  {
    route: '/discover',
    title: 'Discover',
    shows: ROWS,
    empty: { text: 'No strategy is public yet.', next: 'New strategy', isByResponse: true },
  },
  {
    route: '/strategies',
    title: 'Strategies',
    shows: ROWS,
    empty: { text: 'You have no strategy yet.', next: 'New strategy' },
  },
  {
    route: '/strategies/[id]',
    path: '/strategies/{strategy}',
    title: 'Strategy',
    isNamed: true,
    shows: ROWS,
    empty: MISSING,
  },
  {
    route: '/strategies/new',
    title: 'New strategy',
    shows: 'text=Create strategy',
    empty: { text: 'No exchange account is connected yet.', next: 'Connect exchange' },
    refusal: 'This session may only read.',
  },
  {
    route: '/copiers',
    title: 'Copiers',
    shows: ROWS,
    empty: { text: 'You copy no strategy yet.', next: 'Find a strategy' },
  },
  {
    route: '/copiers/[id]',
    path: '/copiers/{copier}',
    title: 'Copier',
    isNamed: true,
    shows: ROWS,
    empty: MISSING,
  },
  {
    route: '/copiers/new',
    title: 'Copy a strategy',
    shows: 'role=radio',
    empty: { text: 'No strategy can be copied yet.', next: 'New strategy', isByResponse: true },
    refusal: 'This session may not create copiers.',
  },
  {
    route: '/copiers/new',
    path: '/copiers/new?copier={copier}&step=simulation',
    title: 'Copy a strategy',
    shows: 'text=Simulated',
    empty: MISSING,
    refusal: 'This session may not create copiers.',
  },
];
