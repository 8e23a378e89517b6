/** The first member of the key of every query: what it reads. Events name what has changed by the same words. */
export type QueryKind =
  | 'analytics'
  | 'api-keys'
  | 'copiers'
  | 'dead-letters'
  | 'deliveries'
  | 'events'
  | 'exchanges'
  | 'health'
  | 'lots'
  | 'market'
  | 'me'
  | 'notifications'
  | 'pairs'
  | 'positions'
  | 'public-keys'
  | 'request-log'
  | 'rewards'
  | 'sessions'
  | 'settings'
  | 'strategies'
  | 'trades'
  | 'webhooks'
  | 'withdrawals';

const KEYS: Readonly<Record<string, readonly QueryKind[]>> = {
  trade: ['trades', 'lots', 'exchanges', 'analytics', 'copiers', 'strategies'],
  copier: ['copiers', 'strategies'],
  exchange: ['exchanges'],
  // No event reports a new mark price, so the page also reads positions at intervals.
  position: ['positions', 'lots'],
  funding: ['lots', 'positions', 'analytics', 'copiers', 'strategies'],
  trade_pair: ['pairs'],
  reward: ['rewards'],
  withdrawal: ['withdrawals', 'rewards'],
  webhook: ['webhooks', 'deliveries'],
  key: ['api-keys', 'public-keys', 'sessions'],
  public_key: ['public-keys'],
  strategy: ['strategies', 'copiers'],
};
/** Every event may notify the user, and every one is listed. */
const ALWAYS: readonly QueryKind[] = ['notifications', 'events', 'deliveries', 'dead-letters'];

/** Returns what an event makes old. */
export function keysOfEvent(type: string): readonly QueryKind[] {
  return [...(KEYS[type.slice(0, type.indexOf('.'))] ?? []), ...ALWAYS];
}
