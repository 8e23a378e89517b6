/** Pages of the platform and their addresses. */
import { graphqlAddress } from '../live/graphql-address.js';
import { baseURLOf, type Settings } from '../profile/settings.js';
import type { Stack } from './checkout.js';

export interface Page {
  readonly name: string;
  readonly about: string;
  /** Undefined if the page needs a local platform and none is running. */
  readonly url: string | undefined;
}

export function pagesOf(settings: Settings, stack: Stack | undefined): readonly Page[] {
  const rest = baseURLOf(settings).replace(/\/+$/, '');
  return [
    { name: 'docs', about: 'the reference, with code examples', url: `${rest}/docs` },
    { name: 'openapi', about: 'the OpenAPI document', url: `${rest}/openapi.json` },
    { name: 'llms', about: 'the reference as plain text', url: `${rest}/llms.txt` },
    { name: 'graphiql', about: 'the GraphQL explorer; only in development', url: graphqlAddress(settings) },
    { name: 'health', about: 'health of the services', url: `${rest}/v1/health/detailed` },
    { name: 'dashboard', about: 'the dashboard of the local platform', url: stack?.dashboard_url },
    { name: 'mail', about: 'the mailbox of the local platform', url: stack?.mail_url },
  ];
}

/** Titles of topics in the reference, by the name that the user types. */
export const TOPICS: Readonly<Record<string, string>> = {
  trades: 'Trades',
  exchanges: 'Exchange accounts',
  pairs: 'Trade pairs',
  strategies: 'Strategies',
  copiers: 'Copiers',
  webhooks: 'Webhooks',
  'dead-letters': 'Dead letters',
  events: 'Events',
  'api-keys': 'API keys',
  'key-pairs': 'Key pairs',
  rewards: 'Rewards',
  withdrawals: 'Withdrawals',
  notifications: 'Notifications',
  settings: 'Settings',
  account: 'Account',
};

/** Returns the address of a topic in the reference; undefined if the topic is unknown. */
export function topicURL(settings: Settings, topic: string): string | undefined {
  const title = Object.hasOwn(TOPICS, topic) ? TOPICS[topic] : undefined;
  if (title === undefined) return undefined;
  return `${baseURLOf(settings).replace(/\/+$/, '')}/docs#tag/${title.toLowerCase().replaceAll(' ', '-')}`;
}
