import {
  fillOf,
  ledgersOf,
  MARKETS,
  orderOf,
  recordOf,
  reportOf,
  STORM_ENDED_AT,
  venueOrderOf,
} from './forged-record.mjs';
import { findUnfinishedExits } from './judge-exits.mjs';

const findingsOf = (changes) =>
  findUnfinishedExits({
    reports: [reportOf(1), reportOf(2)],
    orders: [orderOf(1), orderOf(2)],
    ledgers: ledgersOf(),
    signals: recordOf().signals,
    copiers: recordOf().copiers,
    markets: MARKETS,
    until: STORM_ENDED_AT,
    ...changes,
  });
/** The exchange's record after the exit sold this amount. */
const soldOnly = (amount, bought = {}) =>
  ledgersOf({
    orders: [venueOrderOf(1), venueOrderOf(2, { filled_amount: amount })],
    fills: [fillOf(1, bought), fillOf(2, { amount })],
  });

it('finds nothing if every exit is filled', () => {
  expect(findingsOf({})).toEqual([]);
});

it('counts what other orders closed of a lot, such as auto-deleveraging, as sold', () => {
  const changes = {
    ledgers: soldOnly('0.004'),
    reports: [reportOf(1), reportOf(2, { filledAmount: '0.004' })],
  };
  const closed = (amount) => ({ closedByOthers: new Map([['copier copier-1, lot lot-1', amount]]) });
  expect(findingsOf(changes)).toHaveLength(1);
  expect(findingsOf({ ...changes, ...closed('0.006') })).toEqual([]);
  expect(findingsOf({ ...changes, ...closed('0.005') })).toHaveLength(1);
});

it('a short lot is held until it is bought back', () => {
  const sides = (exit) =>
    ledgersOf({
      orders: [venueOrderOf(1, { side: 'SELL' }), venueOrderOf(2, { side: 'BUY', filled_amount: exit })],
      fills: [fillOf(1, { side: 'SELL' }), fillOf(2, { side: 'BUY', amount: exit })],
    });
  expect(findingsOf({ ledgers: sides('0.01') })).toEqual([]);
  expect(findingsOf({ ledgers: sides('0.004') })).toEqual([
    'copier copier-1, lot lot-1: closed, but 0.006 is held',
  ]);
});

it('finds an exit on which a copier has no report yet', () => {
  expect(findingsOf({ reports: [reportOf(1)] })).toEqual(['copier copier-1: no report on the exit signal-2']);
});

it('finds an exit that the report calls filled, although the exchange sold nothing', () => {
  expect(findingsOf({ ledgers: soldOnly('0') })).toEqual([
    'copier copier-1, lot lot-1: closed, but 0.01 is held',
  ]);
});

it('finds an exit that ended without selling everything', () => {
  const reports = [
    reportOf(1),
    reportOf(2, { kind: 'REDUCE', outcome: 'CLAMPED', code: 'SLIPPAGE', filledAmount: '0.004' }),
  ];
  expect(findingsOf({ reports, ledgers: soldOnly('0.004') })).toEqual([
    'copier copier-1, lot lot-1, signal 2: ended CLAMPED SLIPPAGE with 0.006 unsold, 0.006 held',
  ]);
});

it('finds an exit that still waits for anything but the minimum', () => {
  const reports = [
    reportOf(1),
    reportOf(2, { isSettled: false, code: 'INSUFFICIENT_BALANCE', filledAmount: '0' }),
  ];
  expect(findingsOf({ reports, ledgers: soldOnly('0') })).toContain(
    'copier copier-1, lot lot-1, signal 2: not filled, and the report says INSUFFICIENT_BALANCE',
  );
});

it('finds an exit that waits for the minimum with an amount that the exchange accepts', () => {
  const reports = [reportOf(1), reportOf(2, { isSettled: false, code: 'BELOW_MINIMUM', filledAmount: '0' })];
  expect(findingsOf({ reports, ledgers: soldOnly('0') })).toEqual([
    'copier copier-1, lot lot-1: waits for the minimum with 0.01 at 60000',
  ]);
});

it('accepts an exit that waits with an amount below the minimum', () => {
  const reports = [
    reportOf(1),
    reportOf(2, { isSettled: false, code: 'BELOW_MINIMUM', filledAmount: '0.0099' }),
  ];
  expect(findingsOf({ reports, ledgers: soldOnly('0.0099') })).toEqual([]);
});

it('adds the amounts of exits of one lot that wait', () => {
  const waiting = {
    kind: 'REDUCE',
    isSettled: false,
    code: 'BELOW_MINIMUM',
    targetAmount: '0.0001',
    filledAmount: '0',
  };
  const reports = [reportOf(1), reportOf(2, waiting), reportOf(3, waiting)];
  expect(findingsOf({ reports: reports.slice(0, 2), ledgers: soldOnly('0') })).toEqual([]);
  expect(findingsOf({ reports, ledgers: soldOnly('0') })).toEqual([
    'copier copier-1, lot lot-1: waits for the minimum with 0.0002 at 60000',
  ]);
});

it('accepts a remainder below the amount step, and deducts fees in the bought asset', () => {
  const bought = { fee: '0.000015', fee_asset: 'BTC' };
  expect(findingsOf({ ledgers: soldOnly('0.00998', bought) })).toEqual([]);
  expect(findingsOf({ ledgers: soldOnly('0.00997', bought) })).toEqual([
    'copier copier-1, lot lot-1: closed, but 0.000015 is held',
  ]);
});

it('judges no exit of a signal after the storm', () => {
  const reports = [reportOf(1), reportOf(2, { isSettled: false, filledAmount: '0' })];
  expect(findingsOf({ reports, until: reports[1].signalAt - 1 })).toEqual([]);
});
