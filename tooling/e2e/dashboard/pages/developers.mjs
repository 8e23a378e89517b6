import { MISSING, ROWS } from './shared.mjs';

/** The same for all accounts. */
const OF_THE_RELEASE = 'The release contains it, so that it is never empty.';

/** @type {readonly import('../pages.mjs').DashboardPage[]} */
export const DEVELOPERS_PAGES = [
  {
    route: '/developers/api-keys',
    title: 'API keys',
    shows: ROWS,
    empty: { text: 'No API key exists yet.', next: 'Create key' },
  },
  {
    route: '/developers/identities',
    title: 'Identities',
    shows: ROWS,
    empty: {
      text: 'No public key is linked yet.',
      next: 'Link one here, or with the command-line client',
      isByResponse: true,
    },
  },
  {
    route: '/developers/webhooks',
    title: 'Webhooks',
    shows: ROWS,
    empty: { text: 'No webhook exists yet.', next: 'Add webhook' },
  },
  {
    route: '/developers/webhooks/[id]',
    path: '/developers/webhooks/{webhook}',
    title: 'Webhook',
    isNamed: true,
    shows: ROWS,
    empty: MISSING,
  },
  {
    route: '/developers/webhooks/[id]/events/[eventId]',
    path: '/developers/webhooks/{webhook}/events/{deliveredEvent}',
    title: 'Delivery',
    isNamed: true,
    isDrawer: true,
    shows: 'text=Attempt 1',
    empty: { text: 'This event was not sent to the webhook yet.', next: 'Show event', isByResponse: true },
  },
  {
    route: '/developers/dead-letters',
    path: '/developers/dead-letters?webhook={webhookWithLetters}',
    title: 'Dead letters',
    shows: ROWS,
    empty: { text: 'No webhook exists yet.', next: 'Add webhook' },
  },
  {
    route: '/developers/dead-letters/[webhookId]/[id]',
    path: '/developers/dead-letters/{webhookWithLetters}/{letter}',
    title: 'Dead letter',
    isDrawer: true,
    shows: 'text=Payload',
    empty: MISSING,
  },
  {
    route: '/developers/events',
    title: 'Events',
    shows: ROWS,
    empty: { text: 'No event happened in the last 30 days.', next: 'Place order', isByResponse: true },
  },
  {
    route: '/developers/events/[id]',
    path: '/developers/events/{event}',
    title: 'Event',
    isDrawer: true,
    shows: 'text=Payload',
    empty: MISSING,
  },
  {
    route: '/developers/events/catalogue',
    title: 'Event catalogue',
    shows: '[aria-label="Sample payload"]',
    without: { empty: OF_THE_RELEASE },
  },
  {
    route: '/developers/request-log',
    title: 'Request log',
    shows: ROWS,
    empty: { text: 'No request was sent in the last 7 days.', next: 'Show reference', isByResponse: true },
  },
  {
    route: '/developers/reference',
    title: 'Reference',
    shows: 'text=Introduction',
    without: { empty: OF_THE_RELEASE },
  },
  {
    route: '/developers/graphql',
    title: 'GraphQL',
    shows: '.graphiql-container',
    without: {
      loading: 'Its scripts are loaded, not data; the editor can be used before the schema is there.',
      empty: OF_THE_RELEASE,
      error: 'It shows each response of the API as it is.',
      'no permission': 'It shows each response of the API as it is.',
      stale: 'It loads nothing again.',
    },
    exceptions: [
      {
        rule: 'nested-interactive',
        element: '.graphiql-tab',
        reason:
          'GraphiQL puts a button into each tab of its editor, which neither a property nor a style changes.',
      },
    ],
  },
];
