/** Account streams with a connection for each account, which the trading types of an account may share. */
import type { AccountStreamHandler, VenueStream } from '../../port.js';
import type { CallAccount } from '../call.js';
import type { OwnStreamProtocol, StreamPlan, VenueSession } from '../declaration.js';
import { AccountSubscription, asExchangeError } from './account-subscription.js';
import { OwnConnection } from './own-connection.js';
import type { AccountStreams } from './shared-account-streams.js';
import { type OwnStreamSegment, StreamMember } from './stream-member.js';

/** The connections of a venue that streams of several trading types share, by address and key. */
export type OwnConnections = Map<string, OwnConnection>;

export class OwnAccountStreams implements AccountStreams {
  constructor(
    private readonly segment: OwnStreamSegment,
    private readonly protocol: OwnStreamProtocol,
    private readonly connections: OwnConnections = new Map(),
  ) {}

  open(account: CallAccount, handler: AccountStreamHandler): VenueStream {
    const stream = new AccountSubscription(account, handler, this.segment.startTimeoutMs);
    this.#start(stream).catch((error: unknown) => stream.lose(asExchangeError(error)));
    return { close: () => stream.close() };
  }

  async #start(stream: AccountSubscription): Promise<void> {
    const { segment, protocol } = this;
    const session = await segment.preparedSession();
    await segment.acquireBudget(stream.account, protocol.weight);
    const request = { kind: 'read', purpose: 'resume', account: stream.account } as const;
    const plan = await segment.run(request, (opened) => protocol.plan(opened));
    if (!stream.hasEnded) this.#connect(stream, plan, session);
  }

  #connect(stream: AccountSubscription, plan: StreamPlan, session: VenueSession): void {
    const { segment, protocol, connections } = this;
    const key = JSON.stringify([plan.url, stream.account.credentials.apiKey, stream.account.egress]);
    const shared = protocol.isShared === true ? connections.get(key) : undefined;
    const connection: OwnConnection =
      shared ??
      new OwnConnection(() => {
        if (connections.get(key) === connection) connections.delete(key);
      });
    const member = new StreamMember(stream, segment, { protocol, session });
    if (shared !== undefined) {
      shared.join(member, plan);
      return;
    }
    if (protocol.isShared === true) connections.set(key, connection);
    connection.open(member, plan);
  }
}
