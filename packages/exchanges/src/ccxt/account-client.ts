import type { CallPurpose } from '../call-budget.js';
import type {
  AccountStreamHandler,
  BalanceReport,
  CredentialsReport,
  ExchangeClient,
  ExchangeOrderKey,
  LoanClient,
  OrderKey,
  OrderLookup,
  OrderRequest,
  PlaceOrderOptions,
  PositionClient,
  VenueFill,
  VenueOrder,
  VenueStream,
} from '../port.js';
import type { CallAccount, CallRequest } from './call.js';
import type { TradingTypeDeclaration, VenueSession } from './declaration.js';
import { failure } from './failures.js';
import type { Segment } from './segment.js';

type Work<T> = (session: VenueSession, declaration: TradingTypeDeclaration) => Promise<T>;

interface SharedState {
  /** The purpose of reads. */
  readonly purpose: CallPurpose | undefined;
  /** The open streams, which all clients of the account from {@link ExchangeClient.as} share. */
  readonly streams: Set<VenueStream>;
}

/** The client of one account at an exchange. Its only state is the account's credentials and open streams. */
export class AccountClient implements ExchangeClient {
  readonly hasStream: boolean;
  readonly openOrdersLockBalances: boolean;

  constructor(
    private readonly segment: Segment,
    private readonly account: CallAccount,
    private readonly shared: SharedState = { purpose: undefined, streams: new Set() },
  ) {
    this.hasStream = segment.accountStreams !== undefined;
    this.openOrdersLockBalances = segment.declaration.openOrdersLockBalances;
  }

  get egress(): string | undefined {
    return this.account.egress;
  }

  as(purpose: CallPurpose): ExchangeClient {
    const { segment, account, shared } = this;
    return new AccountClient(segment, account, { ...shared, purpose });
  }

  testCredentials(): Promise<CredentialsReport> {
    return this.#read((session, { account }) => account.inspectCredentials(session));
  }

  fetchBalances(): Promise<BalanceReport> {
    return this.#read((session, { account }) => account.fetchBalances(session));
  }

  placeOrder(order: OrderRequest, { sendByMs }: PlaceOrderOptions = {}): Promise<VenueOrder> {
    const { isExit, isCopy } = order;
    const purpose = isCopy === true ? 'copy' : 'user';
    const request = { kind: 'write', isOrder: true, isExit, purpose, sendByMs } as const;
    return this.#run(request, async (session, { orders, orderTypes }) => {
      if (!orderTypes.includes(order.type)) throw failure(['rejected', 'not_supported']);
      return orders.place(session, order);
    });
  }

  /** A cancellation reduces risk, so it has the priority of an exit. */
  cancelOrder(key: OrderKey): Promise<void> {
    return this.#run({ kind: 'write', isExit: true }, (session, { orders }) => orders.cancel(session, key));
  }

  cancelOrderByExchangeId(key: ExchangeOrderKey): Promise<void> {
    return this.#run({ kind: 'write', isExit: true }, (session, { orders }) =>
      orders.cancelByExchangeId(session, key),
    );
  }

  findOrder(key: OrderKey): Promise<OrderLookup> {
    return this.#read((session, { orders }) => orders.find(session, key));
  }

  findOrderByExchangeId(key: ExchangeOrderKey): Promise<VenueOrder | null> {
    return this.#read((session, { orders }) => orders.findByExchangeId(session, key));
  }

  fetchOpenOrders(symbol?: string): Promise<readonly VenueOrder[]> {
    return this.#read((session, { orders }) => orders.fetchOpen(session, symbol));
  }

  fetchFills(key: ExchangeOrderKey): Promise<readonly VenueFill[]> {
    return this.#read((session, { fills }) => fills.ofOrder(session, key));
  }

  fetchFillsSince({
    symbol,
    since,
  }: {
    readonly symbol: string;
    readonly since: Date;
  }): Promise<readonly VenueFill[]> {
    return this.#read((session, { fills }) => fills.since(session, symbol, since));
  }

  get fillsListedForMs(): number {
    return this.segment.declaration.fills.listedForMs;
  }

  get positions(): PositionClient | undefined {
    const { positions } = this.segment.declaration;
    if (positions === undefined) return undefined;
    const read = <T>(work: (session: VenueSession) => Promise<T>) => this.#read(work);
    return {
      fetchPositions: () => read((session) => positions.fetchPositions(session)),
      fetchMargin: () => read((session) => positions.fetchMargin(session)),
      fetchLeverage: (symbol) => read((session) => positions.fetchLeverage(session, symbol)),
      setLeverage: (symbol, settings) =>
        this.#run({ kind: 'write', purpose: 'user' }, (session) =>
          positions.setLeverage(session, symbol, settings),
        ),
      fetchFunding: (since) => read((session) => positions.fetchFunding(session, since)),
    };
  }

  get loans(): LoanClient | undefined {
    const { loans } = this.segment.declaration;
    if (loans === undefined) return undefined;
    return {
      fetchLoans: () => this.#read((session) => loans.fetchLoans(session)),
      fetchInterest: (since) => this.#read((session) => loans.fetchInterest(session, since)),
    };
  }

  watch(handler: AccountStreamHandler): VenueStream {
    const { accountStreams } = this.segment;
    if (accountStreams === undefined) throw failure(['rejected', 'not_supported']);
    const stream = accountStreams.open(this.account, handler);
    const { streams } = this.shared;
    streams.add(stream);
    return {
      close: () => {
        streams.delete(stream);
        return stream.close();
      },
    };
  }

  async close(): Promise<void> {
    const streams = [...this.shared.streams];
    this.shared.streams.clear();
    await Promise.all(streams.map((stream) => stream.close()));
  }

  #read<T>(work: Work<T>): Promise<T> {
    return this.#run({ kind: 'read' }, work);
  }

  #run<T>(request: CallRequest, work: Work<T>): Promise<T> {
    const { purpose } = this.shared;
    return this.segment.run({ purpose, ...request, account: this.account }, (session) =>
      work(session, this.segment.declaration),
    );
  }
}
