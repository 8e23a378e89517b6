import { judge } from './audit.mjs';
import { findUnsignalledLots } from './compare-leader-lots.mjs';
import { comparePositions } from './compare-positions.mjs';
import { settingsOf } from './copier-settings.mjs';
import { ledgersOf, orderOf, recordOf, reportOf, venueOrderOf } from './forged-record.mjs';

const symbol = 'BTC/USDT:USDT';
const position = { symbol, side: 'SHORT', amount: '0.3', entry_price: '60000.12345678' };
const ledger = {
  futures_balances: { USDT: { wallet: '999.50000000' } },
  positions: [position],
  funding: [
    { funding_id: '7', symbol, amount: '-0.25' },
    { funding_id: '8', symbol, amount: '0.5' },
  ],
};
const payments = [
  { venueId: '8', amount: '0.500', bookedAmount: '0.5', events: 1 },
  { venueId: '7', amount: '-0.25', bookedAmount: '-0.250', events: 1 },
];
const lots = [
  { symbol, side: 'BUY', open_amount: '0.100' },
  { symbol, side: 'SELL', open_amount: '0.400' },
];
const trade = { id: 'trade-1', symbol, filledAmount: '0.4', bookedAmount: '0.400' };
const records = {
  balance: { free: '999.5', locked: '0' },
  trades: [trade],
  payments,
  lots,
  positions: [position],
};
const differences = (changes, venue = {}) =>
  comparePositions('account-1', { ...ledger, ...venue }, { ...records, ...changes });

describe('a difference between a position and the exchange', () => {
  it('is not found in records that agree, with lots on both sides', () => {
    expect(differences({})).toEqual([]);
    const flat = { positions: [], funding: [] };
    expect(differences({ ...flat, lots: [], payments: [] }, flat)).toEqual([]);
  });

  it('is a sum of signed open lots that differs in the last digit', () => {
    const [long, short] = lots;
    expect(differences({ lots: [long, { ...short, open_amount: '0.400000000000000001' }] })).toEqual([
      'account-1: a position of -0.3 BTC/USDT:USDT at the exchange, open lots of -0.300000000000000001 in the product',
    ]);
  });

  it.each([
    ['a position without lots', { lots: [] }],
    ['lots on the wrong side', { lots: [{ symbol, side: 'BUY', open_amount: '0.3' }] }],
    ['lots of a contract without a position', { lots: [...lots, { ...lots[0], symbol: 'ETH/USDT:USDT' }] }],
    ['another wallet', { balance: { free: '999.50000001', locked: '0' } }],
    ['a position that the API does not list', { positions: [] }],
    [
      'a position that only the API lists',
      { positions: [position, { ...position, symbol: 'ETH/USDT:USDT' }] },
    ],
    ['a listed position on the other side', { positions: [{ ...position, side: 'LONG' }] }],
    ['a listed position of another amount', { positions: [{ ...position, amount: '0.30' }] }],
    ['another entry price', { positions: [{ ...position, entry_price: '60000.12345679' }] }],
    ['a fill that is booked twice', { trades: [{ ...trade, bookedAmount: '0.8' }] }],
    ['a fill that is not booked', { trades: [{ ...trade, bookedAmount: '0' }] }],
    ['a payment that is not stored', { payments: payments.slice(1) }],
    ['a payment that is stored twice', { payments: [...payments, payments[0]] }],
    [
      'a payment of another amount',
      { payments: [{ ...payments[0], amount: '0.6', bookedAmount: '0.6' }, payments[1]] },
    ],
    [
      'a payment that the exchange did not make',
      { payments: [...payments, { ...payments[0], venueId: '9' }] },
    ],
    ['a payment that no lot has', { payments: [{ ...payments[0], bookedAmount: null }, payments[1]] }],
    ['a payment that is booked twice', { payments: [{ ...payments[0], bookedAmount: '1' }, payments[1]] }],
    ['a payment without an event', { payments: [{ ...payments[0], events: 0 }, payments[1]] }],
    ['a payment with two events', { payments: [{ ...payments[0], events: 2 }, payments[1]] }],
  ])('is found: %s', (_name, changes) => {
    expect(differences(changes)).toHaveLength(1);
  });

  it('is found: a negative lot', () => {
    const [long, short] = lots;
    const forged = {
      lots: [
        { ...long, open_amount: '-0.1' },
        { ...short, open_amount: '0.2' },
      ],
    };
    expect(differences(forged)).toEqual(['account-1: a negative lot of BTC/USDT:USDT']);
  });

  it('breaks its rule', () => {
    const broken = judge(recordOf({ positionDifferences: differences({ lots: [] }) })).filter(
      ({ isMet }) => !isMet,
    );
    expect(broken.map(({ id }) => id)).toEqual(['positions']);
  });
});

describe('a signal of a leader that was lost', () => {
  const lot = {
    tradeId: 'lot-1',
    opened: '0.4',
    open: '0.1',
    signalled: '0.4',
    openBySignals: '0.1',
    isRewound: false,
  };
  const findings = (changes) => findUnsignalledLots({ leaderLots: [{ ...lot, ...changes }] });

  it('is not assumed if the signals and the lot agree, nor for an order that only closed lots', () => {
    expect(findings({})).toEqual([]);
    expect(findings({ opened: '0', open: '0', signalled: null, openBySignals: null })).toEqual([]);
  });

  it.each([
    ['an entry without a signal', { signalled: null, openBySignals: null, open: '0' }],
    ['an entry that signals cover in part', { signalled: '0.3' }],
    ['an exit without a signal', { openBySignals: '0.4' }],
    ['an exit that was signalled twice', { openBySignals: '0' }],
  ])('is found: %s', (_name, changes) => {
    expect(findings(changes)).toHaveLength(1);
    const broken = judge(recordOf({ leaderLots: [{ ...lot, ...changes }] })).filter(({ isMet }) => !isMet);
    expect(broken.map(({ id }) => id)).toEqual(['lost']);
  });

  it('after a late fill, lots may be open that signals have closed, but not the other way round', () => {
    expect(findings({ isRewound: true, signalled: '0.2', openBySignals: '0' })).toEqual([]);
    expect(findings({ isRewound: true, openBySignals: '0.2' })).toHaveLength(1);
  });
});

describe('copies on both sides', () => {
  const short = (sequence, changes) =>
    venueOrderOf(sequence, { side: sequence === 1 ? 'SELL' : 'BUY', ...changes });
  const duplicates = (orders, liquidations, copies = [orderOf(1), orderOf(2)]) =>
    judge(recordOf({ ledgers: ledgersOf({ orders, liquidations }), orders: copies })).find(
      ({ id }) => id === 'duplicates',
    ).findings;

  it('of a short lot begin with a sale: two orders for one entry are found', () => {
    expect(duplicates([short(1), short(2)], [])).toEqual([]);
    const orders = [short(1), short(2), short(3, { side: 'SELL', filled_amount: '0' })];
    const copies = [orderOf(1), orderOf(2), orderOf(1, { tradeId: 'trade-3', exchangeOrderId: '3' })];
    expect(duplicates(orders, [], copies)).toEqual([
      'copier copier-1, lot lot-1, signal 1: 2 orders for one entry',
    ]);
  });

  it('are not the orders that the exchange placed on its own, which share a client order id', () => {
    const forced = [3, 4].map((sequence) => short(sequence, { client_order_id: 'adl_autoclose' }));
    expect(duplicates([short(1), short(2), ...forced], forced)).toEqual([]);
    expect(duplicates([short(1), short(2), ...forced], [])).toHaveLength(3);
  });

  it('do not exit more than they entered, even if the reports say so', () => {
    const orders = [short(1), short(2, { filled_amount: '0.02' })];
    const reports = [reportOf(1), reportOf(2, { filledAmount: '0.02' })];
    const { findings } = judge(recordOf({ ledgers: ledgersOf({ orders }), reports })).find(
      ({ id }) => id === 'duplicates',
    );
    expect(findings).toEqual(['copier copier-1, lot lot-1: exit fills exceed the entry fills']);
  });

  it('each signal has one report of each copier', () => {
    const { findings } = judge(recordOf({ reports: [reportOf(1), reportOf(2), reportOf(1)] })).find(
      ({ id }) => id === 'lost',
    );
    expect(findings).toContain('signal signal-1 has 2 reports for copier copier-1');
  });
});

it('copiers have the same sizing on both kinds of markets, except fixed sizes', () => {
  const modes = (type) => Array.from({ length: 40 }, (_, number) => settingsOf(number, type).sizing.mode);
  expect(modes('perpetual')).toEqual(modes('spot'));
  expect(settingsOf(2, 'perpetual').sizing.value).not.toBe(settingsOf(2, 'spot').sizing.value);
});
