import { VENUE_ERRORS } from '../../../errors.js';
import type { ListenKeys } from '../../listen-keys.js';
import { accountOperation, type Operation, type SignedCall } from '../../operation.js';
import type { Peer } from '../../ws/peer.js';
import type { KeyedStreams } from '../../ws/stream-hub.js';
import type { Envelope, UserSubscription } from '../../ws/user-subscription.js';
import type { FuturesUserStreams } from './futures-user-streams.js';

/**
 * Declares the operations that open, extend and close the listen key of an account. An account has at most one key, so
 * the key itself may be omitted.
 */
export function futuresListenKeyOperations(keys: ListenKeys): Operation[] {
  const keyOf = ({ account, params }: SignedCall): string => {
    const key = keys.keyOf(account.id);
    if (key === undefined || (params.get('listenKey') ?? key) !== key) throw VENUE_ERRORS.invalidListenKey();
    return key;
  };
  const params = ['listenKey'];
  return [
    accountOperation(
      'POST /fapi/v1/listenKey',
      { socketMethod: 'userDataStream.start', access: 'KEY' },
      ({ account }) => ({
        listenKey: keys.open(account.id),
      }),
    ),
    accountOperation(
      'PUT /fapi/v1/listenKey',
      { params, socketMethod: 'userDataStream.ping', access: 'KEY' },
      (call) => {
        const listenKey = keyOf(call);
        keys.extend(call.account.id, listenKey);
        return { listenKey };
      },
    ),
    accountOperation(
      'DELETE /fapi/v1/listenKey',
      { params, socketMethod: 'userDataStream.stop', access: 'KEY' },
      (call) => {
        keys.close(call.account.id, keyOf(call));
        return {};
      },
    ),
  ];
}

/** The streams of user events that a connection subscribes to by a listen key, until the key expires. */
export class FuturesKeyStreams implements KeyedStreams {
  private readonly keysBySubscription = new Map<UserSubscription, string>();

  constructor(
    private readonly keys: ListenKeys,
    private readonly users: FuturesUserStreams,
    private readonly now: () => number,
  ) {}

  has(key: string): boolean {
    return this.keys.accountIdOf(key) !== undefined;
  }

  subscribe(key: string, peer: Peer, envelope: Envelope): UserSubscription | undefined {
    const accountId = this.keys.accountIdOf(key);
    if (accountId === undefined) return undefined;
    const subscription = this.users.subscribe(accountId, peer, envelope);
    this.keysBySubscription.set(subscription, key);
    return subscription;
  }

  drop(subscription: UserSubscription): void {
    this.keysBySubscription.delete(subscription);
    this.users.drop(subscription);
  }

  /** Sends `listenKeyExpired` to the connections whose key is no longer valid, and ends their user events. */
  expire(): void {
    for (const [subscription, listenKey] of this.keysBySubscription) {
      if (this.has(listenKey)) continue;
      subscription.push({ e: 'listenKeyExpired', E: this.now(), listenKey });
      this.drop(subscription);
    }
  }
}
