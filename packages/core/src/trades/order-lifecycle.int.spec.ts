/**
 * Compares orders with a model of an exchange: if reports come in any order, late, repeatedly or never, the stored
 * state stays consistent. A number after `rule` or `row` in a title refers to the first or the second table of
 * docs/trading/rules.md.
 */
import type { TradeStatus } from '@trading-automation/contracts';
import type { VenueFill, VenueOrder, VenueOrderStatus } from '@trading-automation/exchanges';
import fc from 'fast-check';
import { OrdersUnderTest, venueFillOf, venueOrderOf } from './testing/orders-under-test.js';
import { isTerminal } from './trade.rules.js';

let env: OrdersUnderTest;
beforeAll(async () => {
  env = await OrdersUnderTest.open();
  await env.reset();
});
afterAll(() => env.close());

/** The amount of the order in hundredths of a BTC; the price of a fill is 100 plus its index. */
const AMOUNT = 100;

/** The exchange's view of the order. It accepts each client order id once. */
class ModelVenue {
  status: VenueOrderStatus | null = null;
  readonly fills: VenueFill[] = [];
  /** Every state that the order had; the exchange may still report any of them. */
  readonly history: VenueOrder[] = [];
  placements = 0;

  constructor(readonly id: string) {}

  get filled(): number {
    return this.fills.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
  }

  place(): void {
    if (this.status !== null) return;
    this.placements += 1;
    this.become('OPEN');
  }

  fill(hundredths: number): void {
    if (this.status !== 'OPEN') return;
    const filledNow = Math.min(hundredths, AMOUNT - this.filled);
    const fillIndex = this.fills.length;
    const fee = { amount: '0.01', currency: fillIndex % 2 === 0 ? 'USDT' : 'BNB' };
    const price = String(100 + fillIndex);
    this.fills.push(venueFillOf(this.id, `${fillIndex}`, String(filledNow / 100), { price, fee }));
    this.become(this.filled === AMOUNT ? 'FILLED' : 'OPEN');
  }

  end(status: VenueOrderStatus): void {
    if (this.status === 'OPEN') this.become(status);
  }

  private become(status: VenueOrderStatus): void {
    this.status = status;
    this.history.push(venueOrderOf(this.id, { status, filledAmount: String(this.filled / 100) }));
  }
}

interface Model {
  readonly venue: ModelVenue;
  /** The ids of the fills that were reported. */
  readonly reportedFills: Set<string>;
  /** The final status, once the trade has ended. */
  end: TradeStatus | null;
  version: number;
  /** Whether a submission is in flight. */
  isInFlight: boolean;
}

abstract class Step implements fc.AsyncCommand<Model, string> {
  constructor(private readonly description: string) {}
  check = (_model: Readonly<Model>): boolean => true;
  protected abstract act(model: Model, id: string): Promise<unknown>;

  async run(model: Model, id: string): Promise<void> {
    await this.act(model, id);
    await verify(model, id);
  }

  toString = () => this.description;
}

async function verify(model: Model, id: string): Promise<void> {
  const stored = await env.storedTrade(id);
  const known = model.venue.fills.filter(({ exchangeFillId }) => model.reportedFills.has(exchangeFillId));
  const sum = (value: (fill: VenueFill) => number) => known.reduce((total, fill) => total + value(fill), 0);
  expect(Number(stored.filled_amount)).toBeCloseTo(
    sum(({ amount }) => Number(amount)),
    9,
  );
  expect(Number(stored.cost)).toBeCloseTo(
    sum(({ amount, price }) => Number(amount) * Number(price)),
    9,
  );
  const rows = await env.core.rows('SELECT exchange_fill_id FROM fills WHERE trade_id = $1', id);
  expect(rows.map(({ exchange_fill_id }) => exchange_fill_id).sort()).toEqual(
    [...model.reportedFills].sort(),
  );
  const status = stored.status as TradeStatus;
  if (model.end !== null) expect(status).toBe(model.end);
  if (isTerminal(status)) model.end = status;
  else expect(status).toBe(known.length === 0 ? 'PENDING' : 'PARTIALLY_FILLED');
  expect(Number(stored.version)).toBeGreaterThanOrEqual(model.version);
  model.version = Number(stored.version);
  expect(model.venue.placements).toBeLessThanOrEqual(1);
  // A trade whose order was reported never returns to UNSENT.
  if (stored.acknowledged_at !== null) expect(stored.submitted_at).not.toBeNull();
}

class Send extends Step {
  constructor(private readonly arrives: 'immediately' | 'later' | 'never') {
    super(`send, arriving ${arrives}`);
  }
  protected async act(model: Model, id: string): Promise<void> {
    await env.core.rows('UPDATE trades SET send_after = NULL WHERE id = $1', id);
    const submission = await env.claimSubmission(id);
    if (submission === null) return;
    expect(submission.order.venueClientOrderId).toBe(`venue-${id}`);
    if (this.arrives === 'immediately') model.venue.place();
    model.isInFlight ||= this.arrives === 'later';
  }
}

class Arrive extends Step {
  constructor() {
    super('the submission arrives');
  }
  override check = ({ isInFlight }: Readonly<Model>) => isInFlight;
  protected async act(model: Model): Promise<void> {
    model.isInFlight = false;
    model.venue.place();
  }
}

class Fill extends Step {
  constructor(private readonly hundredths: number) {
    super(`fill ${hundredths}`);
  }
  protected async act({ venue }: Model): Promise<void> {
    venue.fill(this.hundredths);
  }
}

class End extends Step {
  constructor(private readonly status: 'CANCELLED' | 'EXPIRED') {
    super(`the exchange ends it as ${status}`);
  }
  protected async act({ venue }: Model): Promise<void> {
    venue.end(this.status);
  }
}

/** Reports some past and current states of the order with some of its fills, in one call, possibly repeated. */
class DeliverReport extends Step {
  constructor(
    /** Which states are reported: 0 is the current one, 1 the one before it, and so on. */
    private readonly statesBack: readonly number[],
    private readonly lag: number,
    private readonly times: number,
    private readonly isReversed: boolean,
  ) {
    super(
      `report ${times} times the states ${statesBack} steps back without the last ${lag} fills${isReversed ? ', the others reversed' : ''}`,
    );
  }
  override check = ({ venue }: Readonly<Model>) => venue.history.length > 0;
  protected async act({ venue, reportedFills }: Model, id: string): Promise<void> {
    const fills = venue.fills.slice(0, Math.max(0, venue.fills.length - this.lag));
    const listed = this.isReversed ? fills.toReversed() : fills;
    const reports = this.statesBack.map((back) => {
      const order = venue.history[Math.max(0, venue.history.length - 1 - back)]!;
      return { tradeId: id, order, fills: listed };
    });
    for (const { exchangeFillId } of fills) reportedFills.add(exchangeFillId);
    for (let time = 0; time < this.times; time++) {
      const changed = await env.execution.storeOrders(reports);
      if (time > 0) expect(changed.size).toBe(0);
    }
  }
}

class DeliverFillsOnly extends Step {
  constructor() {
    super('only fills are reported');
  }
  override check = ({ venue }: Readonly<Model>) => venue.fills.length > 0;
  protected async act({ venue, reportedFills }: Model, id: string): Promise<void> {
    const isKnown = (await env.storedTrade(id)).exchange_order_id !== null;
    await env.execution.adopt(env.account.uuid, [], venue.fills);
    if (isKnown) for (const { exchangeFillId } of venue.fills) reportedFills.add(exchangeFillId);
  }
}

class LoseResponse extends Step {
  constructor() {
    super('the response is lost');
  }
  protected act = (_model: Model, id: string) => env.execution.markUnknown([id]);
}

/** Probes that find no order, even if the exchange has the order but does not show it yet. */
class ProbeAbsent extends Step {
  constructor(private readonly probes: number) {
    super(`${probes} probes find no order`);
  }
  protected async act(_model: Model, id: string): Promise<void> {
    await env.backdateSubmission(id, 6_000);
    for (let probe = 0; probe < this.probes; probe++) await env.execution.storeAbsence(id);
  }
}

class Reject extends Step {
  constructor(private readonly isRetryable: boolean) {
    super(`rejected ${isRetryable ? 'temporarily' : 'permanently'}`);
  }
  override check = ({ venue, isInFlight }: Readonly<Model>) => venue.status === null && !isInFlight;
  protected act = (_model: Model, id: string) =>
    env.execution.storeRejection(id, { code: 'x', message: 'x', isRetryable: this.isRetryable });
}

class Cancel extends Step {
  constructor(private readonly isReceived: boolean) {
    super(`cancel, ${isReceived ? 'received' : 'not received'} by the exchange`);
  }
  protected async act({ venue }: Model, id: string): Promise<void> {
    const step = await env.execution.requestCancellation(id);
    if (step === 'send' && this.isReceived) venue.end('CANCELLED');
  }
}

class Expire extends Step {
  constructor() {
    super('the time limit for its resubmission passes');
  }
  protected act = (_model: Model, id: string) =>
    env.core.rows('UPDATE trades SET resend_until = clock_timestamp() WHERE id = $1', id);
}

const commands = fc.commands(
  [
    fc
      .constantFrom('immediately', 'immediately', 'later', 'never')
      .map((arrives) => new Send(arrives as 'later')),
    fc.constant(new Arrive()),
    fc.integer({ min: 1, max: AMOUNT }).map((hundredths) => new Fill(hundredths)),
    fc.integer({ min: 1, max: 20 }).map((hundredths) => new Fill(hundredths)),
    fc.constantFrom('CANCELLED' as const, 'EXPIRED' as const).map((status) => new End(status)),
    fc
      .tuple(
        fc.array(fc.nat(4), { minLength: 1, maxLength: 3 }),
        fc.nat(2),
        fc.integer({ min: 1, max: 2 }),
        fc.boolean(),
      )
      .map((report) => new DeliverReport(...report)),
    fc.constant(new DeliverReport([0], 0, 1, false)),
    fc.constant(new DeliverFillsOnly()),
    fc.constant(new LoseResponse()),
    fc.constantFrom(1, 5, 6, 6).map((probes) => new ProbeAbsent(probes)),
    fc.boolean().map((isRetryable) => new Reject(isRetryable)),
    fc.boolean().map((isReceived) => new Cancel(isReceived)),
    fc.constant(new Expire()),
  ],
  { maxCommands: 25, size: 'max' },
);

/** The first steps of a run. Most orders begin with a submission, and many interesting cases follow a first fill. */
const firstSteps = fc.oneof(
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.constant([new Send('later'), new LoseResponse()]) },
  { weight: 2, arbitrary: fc.constant([new Send('immediately')]) },
  {
    weight: 4,
    arbitrary: fc.constant([new Send('immediately'), new Fill(30), new DeliverReport([0], 0, 1, false)]),
  },
);

/** Ends the order at the exchange, if it is there, and reports its last state with all fills. */
async function endAndReport({ venue, reportedFills }: Model, id: string): Promise<void> {
  if (venue.history.length === 0) return;
  venue.end('CANCELLED');
  for (const { exchangeFillId } of venue.fills) reportedFills.add(exchangeFillId);
  await env.execution.storeOrders([{ tradeId: id, order: venue.history.at(-1)!, fills: venue.fills }]);
}

it('rows 1, 5, 16: whatever happens to an order, its trade has the sums of the exchange, counts no fill twice, and ends once', async () => {
  await fc.assert(
    fc.asyncProperty(firstSteps, commands, fc.boolean(), async (first, steps, isCopy) => {
      const id = await env.placeCopy(isCopy ? {} : { resendUntil: null });
      const model: Model = {
        venue: new ModelVenue(id),
        reportedFills: new Set(),
        end: null,
        version: 1,
        isInFlight: false,
      };
      await fc.asyncModelRun(() => ({ model, real: id }), [...first, ...steps]);
      await endAndReport(model, id);
      await verify(model, id);
      const stored = await env.storedTrade(id);
      expect(Math.round(Number(stored.filled_amount) * 100)).toBe(model.venue.filled);
      if (model.venue.status !== null) expect(isTerminal(stored.status as TradeStatus)).toBe(true);
      const { opened } = await env.core.row(
        'SELECT coalesce(sum(opened_amount), 0)::float8 AS opened FROM lots WHERE trade_id = $1',
        id,
      );
      expect(Number(opened)).toBeCloseTo(model.venue.filled / 100, 9);
      await expectOneFinalEvent(id, stored.status as TradeStatus);
    }),
    { numRuns: 40 },
  );
}, 120_000);

async function expectOneFinalEvent(id: string, status: TradeStatus): Promise<void> {
  const events = await env.core.rows(
    `SELECT type FROM outbox_events WHERE user_id = $1 AND type IN ('trade.filled', 'trade.cancelled', 'trade.failed')
       AND convert_from(payload, 'UTF8')::jsonb #>> '{data,client_order_id}' =
         (SELECT client_order_id FROM trades WHERE id = $2)`,
    env.actor.userId,
    id,
  );
  expect(events).toHaveLength(isTerminal(status) ? 1 : 0);
}
