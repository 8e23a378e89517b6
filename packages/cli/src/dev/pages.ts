/** Pages of the product, and where they are. */
import { graphqlAddress } from '../live/graphql-address.js';
import { baseURLOf, type Settings } from '../profile/settings.js';
import type { Stack } from './checkout.js';

export interface Page {
  readonly name: string;
  readonly about: string;
  /** Undefined where the page is of a running local stack, and none runs. */
  readonly url: string | undefined;
}

export function pagesOf(settings: Settings, stack: Stack | undefined): readonly Page[] {
  const rest = baseURLOf(settings).replace(/\/+$/, '');
  return [
    { name: 'docs', about: 'the reference, with code to paste', url: `${rest}/docs` },
    { name: 'openapi', about: 'the OpenAPI document', url: `${rest}/openapi.json` },
    { name: 'llms', about: 'the reference as plain text', url: `${rest}/llms.txt` },
    { name: 'graphiql', about: 'GraphQL in a browser, in development', url: graphqlAddress(settings) },
    { name: 'health', about: 'how the services are', url: `${rest}/v1/health/detailed` },
    { name: 'dashboard', about: 'the dashboard of the local stack', url: stack?.dashboard_url },
    { name: 'mail', about: 'the mailbox of the local stack', url: stack?.mail_url },
  ];
}

/** Topics of the reference, by the word that one would look for. */
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

/** Where a topic stands in the reference. */
export function topicURL(settings: Settings, topic: string): string | undefined {
  const title = Object.hasOwn(TOPICS, topic) ? TOPICS[topic] : undefined;
  if (title === undefined) return undefined;
  return `${baseURLOf(settings).replace(/\/+$/, '')}/docs#tag/${title.toLowerCase().replaceAll(' ', '-')}`;
}
