import { judge, tableOf } from './audit.mjs';
import { compareHoldings, compareOrders } from './compare-accounts.mjs';
import { fillOf, ledgersOf, orderOf, recordOf, reportOf, SIGNAL_AT, venueOrderOf } from './forged-record.mjs';
import { isCrash, unansweredTradeOf, WorkerLives } from './lives.mjs';

const brokenRules = (record) =>
  judge(record)
    .filter(({ isMet }) => !isMet)
    .map(({ id }) => id);
const findingsOf = (record, rule) => judge(record).find(({ id }) => id === rule).findings;

it('finds nothing in the record of a storm in which everything went well', () => {
  expect(brokenRules(recordOf())).toEqual([]);
});

describe('an order that was placed twice', () => {
  it('is found if the exchange has two orders with one id', () => {
    const orders = [venueOrderOf(1), venueOrderOf(2), venueOrderOf(3, { client_order_id: 'client-1' })];
    const record = recordOf({ ledgers: ledgersOf({ orders }), orders: [1, 2, 3].map((n) => orderOf(n)) });
    expect(findingsOf(record, 'duplicates')).toContain('account-1: 2 orders with the id client-1');
  });

  it('is found on a leader’s account, too', () => {
    const orders = [venueOrderOf(1), venueOrderOf(3, { client_order_id: 'client-1' })];
    const leader = { ...ledgersOf().get('account-1'), orders };
    const record = recordOf({ ledgers: new Map([...ledgersOf(), ['leader', leader]]) });
    expect(findingsOf(record, 'duplicates')).toEqual(['leader: 2 orders with the id client-1']);
  });

  it('is found if no copy explains it', () => {
    const orders = [venueOrderOf(1), venueOrderOf(2), venueOrderOf(3)];
    const record = recordOf({ ledgers: ledgersOf({ orders }) });
    expect(findingsOf(record, 'duplicates')).toEqual(['account-1: 0 copies explain the order BTC/USDT 3']);
  });

  it('is found if one entry has two orders', () => {
    const orders = [venueOrderOf(1), venueOrderOf(2), venueOrderOf(3, { side: 'BUY', filled_amount: '0' })];
    const record = recordOf({
      ledgers: ledgersOf({ orders }),
      orders: [orderOf(1), orderOf(2), orderOf(1, { tradeId: 'trade-3', exchangeOrderId: '3' })],
    });
    expect(findingsOf(record, 'duplicates')).toEqual([
      'copier copier-1, lot lot-1, signal 1: 2 orders for one entry',
    ]);
  });

  it('is found if the exchange filled more than the reports state', () => {
    const orders = [venueOrderOf(1), venueOrderOf(2, { filled_amount: '0.02' })];
    const record = recordOf({ ledgers: ledgersOf({ orders }) });
    expect(findingsOf(record, 'duplicates')).toContain(
      'copier copier-1, lot lot-1: exit fills exceed the reports',
    );
  });
});

describe('a lost signal or copy', () => {
  it.each([
    [
      'a purchase of the leader without a signal',
      { purchases: [{ ...recordOf().purchases[0], signalled: null }] },
    ],
    ['a gap in the sequence of signals', { signals: [{ ...recordOf().signals[0], sequence: 2 }] }],
    ['a signal without a report', { reports: [reportOf(1)] }],
    ['a signal with two reports for a copier', { reports: [reportOf(1), reportOf(2), reportOf(2)] }],
    ['an entry that has not ended', { reports: [reportOf(1, { isSettled: false }), reportOf(2)] }],
    ['a copied entry without an order', { orders: [orderOf(1, { exchangeOrderId: null }), orderOf(2)] }],
    ['an order that the exchange does not have', { ledgers: ledgersOf({ orders: [venueOrderOf(1)] }) }],
    [
      'a report with more fills than the exchange',
      { reports: [reportOf(1, { filledAmount: '0.02' }), reportOf(2)] },
    ],
    ['a copier that is missing', { copierCount: 2 }],
  ])('is found: %s', (_name, changes) => {
    expect(brokenRules(recordOf(changes))).toContain('lost');
  });

  it('is not assumed if the leader had sold the purchase before the exchange reported it', () => {
    const purchase = { ...recordOf().purchases[0], signalled: null, closedBefore: '0.02' };
    expect(brokenRules(recordOf({ purchases: [purchase] }))).toEqual([]);
  });
});

describe('a copy that failed for a takeover', () => {
  it('is found by its report', () => {
    const reports = [
      reportOf(1),
      reportOf(2),
      reportOf(3, { outcome: 'FAILED', code: 'NOT_ACCEPTED', filledAmount: '0' }),
    ];
    expect(brokenRules(recordOf({ reports }))).toEqual(['takeover']);
  });

  it('is found by its trade, even if an exit was ordered again', () => {
    const orders = [
      orderOf(1),
      orderOf(2),
      orderOf(2, { exchangeOrderId: null, failureCode: 'not_accepted' }),
    ];
    expect(brokenRules(recordOf({ orders }))).toEqual(['takeover']);
  });
});

describe('a log line', () => {
  it('names the trade whose order the exchange left unanswered', () => {
    const line = (outcome) =>
      `19:17:36.553 trading-worker warn The exchange did not confirm the order. event=order.unconfirmed trade_id=t1 outcome=${outcome} code=no_answer`;
    expect(unansweredTradeOf(line('unknown'))).toBe('t1');
    expect(unansweredTradeOf(line('rejected'))).toBeUndefined();
  });
});

describe('a stale signal', () => {
  const stale = reportOf(3, { kind: 'OPEN', outcome: 'SKIPPED', code: 'STALE_SIGNAL', filledAmount: '0' });
  // 20 other entries, so that the share of copied entries is met.
  const others = Array.from({ length: 20 }, (_, i) =>
    reportOf(1, { signalId: `other-${i}`, filledAmount: '0' }),
  );
  const rulesFor = (...lives) =>
    brokenRules(recordOf({ reports: [...recordOf().reports, ...others, stale], lives }));
  const life = (from, to) => ({ name: 'worker', from: SIGNAL_AT + from, to: SIGNAL_AT + to });

  it('is found if one worker lived for 10 s within the age of the signal', () => {
    expect(rulesFor(life(-5_000, 10_000))).toEqual(['stale']);
    expect(rulesFor(life(50_000, 90_000))).toEqual(['stale']);
  });

  it('is accepted if each worker lived for less than 10 s within the age of the signal', () => {
    expect(rulesFor(life(-50_000, 9_999), life(10_000, 19_999), life(50_001, 90_000))).toEqual([]);
  });

  it('needs 10 s more for each order that the exchange left unanswered', () => {
    const reports = [...recordOf().reports, ...others, { ...stale, tradeId: 'trade-1' }];
    const rulesAfter = (lifeMs) =>
      brokenRules(recordOf({ reports, lives: [life(0, lifeMs)], unanswered: new Map([['trade-1', 2]]) }));
    expect(rulesAfter(29_999)).toEqual([]);
    expect(rulesAfter(30_000)).toEqual(['stale']);
  });

  it('is judged by the copier’s own maximum age', () => {
    const young = { ...stale, maxAgeMs: 9_000 };
    const record = recordOf({ reports: [...recordOf().reports, ...others, young], lives: [life(0, 60_000)] });
    expect(brokenRules(record)).toEqual([]);
  });
});

describe('the share of copied entries', () => {
  const rulesFor = (copied, failed) => {
    const entry = (outcome) => (_, i) =>
      reportOf(1, { signalId: `${outcome}-${i}`, outcome, filledAmount: '0' });
    return brokenRules(
      recordOf({
        reports: [
          ...Array.from({ length: copied }, entry('COPIED')),
          ...Array.from({ length: failed }, entry('FAILED')),
        ],
        signals: [],
        orders: [orderOf(1, { exchangeOrderId: '1' })],
        ledgers: ledgersOf({ orders: [venueOrderOf(1, { filled_amount: '0' })], fills: [] }),
      }),
    );
  };

  it('must be at least 90 %', () => {
    expect(rulesFor(90, 10)).toEqual([]);
    expect(rulesFor(89, 10)).toEqual(['entries']);
  });

  it('is not met by a storm without entries', () => {
    expect(rulesFor(0, 0)).toContain('entries');
  });
});

it('exits, differences and crashes that were found break their rules', () => {
  const record = recordOf({ exitFindings: ['one'], accountDifferences: ['two'], crashes: ['three'] });
  expect(brokenRules(record)).toEqual(['exits', 'accounts', 'crashes']);
});

it('a process crashes by an uncaught error or a signal, but not if it is killed or cannot start', () => {
  const isSeen = (lines) => lines.map((line) => isCrash(`00:00:00.000 rest-api  ${line}`));
  const crashes = [
    'fatal Uncaught exception; exiting. event=process.crashed err={}',
    'info ended (SIGSEGV); restarting',
  ];
  expect(isSeen(crashes)).toEqual([true, true]);
  const others = [
    'fatal The process could not start. event=process.start_failed err={}',
    'info ended (SIGKILL); restarting',
  ];
  expect(isSeen(others)).toEqual([false, false]);
});

it('the table shows each rule with what was expected and found', () => {
  const lines = tableOf(judge(recordOf({ exitFindings: ['one'] })));
  expect(lines).toContain(
    'exits neither filled nor below the minimum        0              1             NO',
  );
  expect(lines).toHaveLength(10);
});

describe('a difference between an account and the exchange', () => {
  const trade = (changes) => ({
    id: 'trade-1',
    symbol: 'BTC/USDT',
    exchange_order_id: '1',
    status: 'FILLED',
    filled_amount: '0.01',
    origin: 'COPIER',
    ...changes,
  });
  const fill = { trade_id: 'trade-1', exchange_fill_id: 'fill-1', amount: '0.010', price: '60000' };
  const ledger = {
    balances: { BTC: { free: '0.01', locked: '0' } },
    orders: [venueOrderOf(1)],
    fills: [fillOf(1)],
  };
  const records = {
    trades: [trade()],
    fills: [fill],
    lots: [{ symbol: 'BTC/USDT', open_amount: '0.01' }],
    sales: [],
    account: { balances: { BTC: { free: '0.01', locked: '0' } } },
  };
  const differences = (changes, venue = ledger) => {
    const forged = { ...records, ...changes };
    return [...compareOrders('account-1', venue, forged), ...compareHoldings('account-1', venue, forged)];
  };

  it('is not found in records that agree', () => {
    expect(differences({})).toEqual([]);
  });

  it('is an unfilled order without a trade only if the product placed it, or if it is open', () => {
    const find = (order, ours = {}) => {
      const unfilled = venueOrderOf(2, { filled_amount: '0', ...order });
      const trades = [trade(), trade({ id: 'trade-2', exchange_order_id: null, status: 'FAILED', ...ours })];
      return differences({ trades }, { ...ledger, orders: [venueOrderOf(1), unfilled] });
    };
    expect(find({ status: 'EXPIRED_IN_MATCH' })).toEqual([]);
    expect(find({ status: 'NEW' })).toHaveLength(1);
    expect(find({ status: 'EXPIRED' }, { venue_client_order_id: 'client-2' })).toHaveLength(1);
  });

  it.each([
    ['an order without a trade', { trades: [], fills: [] }],
    ['an order with two trades', { trades: [trade(), trade({ id: 'trade-2' })] }],
    ['a trade without an order', { trades: [trade(), trade({ id: 'trade-2', exchange_order_id: '2' })] }],
    ['another status', { trades: [trade({ status: 'PARTIALLY_FILLED' })] }],
    ['another filled amount', { trades: [trade({ filled_amount: '0.02' })] }],
    ['a missing fill', { fills: [] }],
    ['a fill that is stored twice', { fills: [fill, fill] }],
    ['a fill with another amount', { fills: [{ ...fill, amount: '0.02' }] }],
    ['a fill with another price', { fills: [{ ...fill, price: '60000.1' }] }],
    ['a trade that was never sent', { trades: [trade(), trade({ id: 'trade-2', exchange_order_id: null })] }],
    ['a write-off', { trades: [trade({ origin: 'RECONCILIATION' })] }],
    ['another balance', { account: { balances: { BTC: { free: '0', locked: '0.02' } } } }],
    ['a lot that is too large', { lots: [{ symbol: 'BTC/USDT', open_amount: '0.02' }] }],
    [
      'a sale that closed more than it sold',
      {
        lots: [{ symbol: 'BTC/USDT', open_amount: '0' }],
        sales: [{ symbol: 'BTC/USDT', amount: '0.01', closed: '0.02', amount_step: '0.00001' }],
      },
    ],
  ])('is found: %s', (_name, changes) => {
    expect(differences(changes)).toHaveLength(1);
  });
});

it('the lives of workers are recorded from readiness to kill, with the longest time to readiness', () => {
  let now = 0;
  const workers = new WorkerLives(['a', 'b'], () => now);
  now = 5;
  workers.killed('a');
  now = 7;
  workers.ready('a');
  expect(workers.lives).toEqual([
    { name: 'a', from: 0, to: 5 },
    { name: 'b', from: 0, to: Number.POSITIVE_INFINITY },
    { name: 'a', from: 7, to: Number.POSITIVE_INFINITY },
  ]);
  expect(workers.longestBootMs).toBe(2);
});
