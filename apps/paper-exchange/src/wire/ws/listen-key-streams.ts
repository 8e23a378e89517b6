import type { ListenKeys } from '../listen-keys.js';
import type { Peer } from './peer.js';
import type { KeyedStreams } from './stream-hub.js';
import type { UserStreams } from './user-streams.js';
import type { Envelope, UserSubscription } from './user-subscription.js';

/** The streams of user events on spot that a connection subscribes to by a listen key. */
export class ListenKeyStreams implements KeyedStreams {
  constructor(
    private readonly keys: ListenKeys,
    private readonly users: UserStreams,
  ) {}

  has(key: string): boolean {
    return this.keys.accountIdOf(key) !== undefined;
  }

  subscribe(key: string, peer: Peer, envelope: Envelope): UserSubscription | undefined {
    const accountId = this.keys.accountIdOf(key);
    return accountId === undefined ? undefined : this.users.subscribe(accountId, peer, envelope);
  }

  drop(subscription: UserSubscription): void {
    this.users.drop(subscription);
  }
}
