import { formatUnits, parseUnits } from '../../engine/decimal.js';
import { marginIdOf, maxBorrowable, maxTransferable } from '../../engine/margin/margin-account.rules.js';
import { ASSETS, SYMBOLS } from '../../engine/symbols.js';
import { VENUE_ERRORS } from '../../errors.js';
import { MARGIN_ERRORS } from '../../margin-errors.js';
import { accountOperation, type Operation, type VenueContext } from '../operation.js';
import { integerOf, limitOf, required, symbolOf } from '../params.js';
import { dailyRateText, interestView, loanView, marginAccountView, marginPairView } from './margin-views.js';

const HISTORY_PARAMS = ['asset', 'isolatedSymbol', 'startTime', 'endTime', 'current', 'size', 'archived'];

/** Declares the operations on cross margin accounts, their loans and their interest. Isolated margin is refused. */
export function marginOperations(context: VenueContext): Operation[] {
  return [...accountOperations(context), ...loanOperations(context), ...historyOperations(context)];
}

function accountOperations({ exchange: { state } }: VenueContext): Operation[] {
  return [
    accountOperation('GET /sapi/v1/margin/allPairs', { params: ['symbol'], access: 'KEY' }, ({ params }) =>
      (params.has('symbol') ? [symbolOf(params)] : SYMBOLS).map(marginPairView),
    ),
    // There is no isolated margin. Clients ask for its pairs before they trade.
    accountOperation(
      'GET /sapi/v1/margin/isolated/allPairs',
      { params: ['symbol'], access: 'KEY' },
      () => [],
    ),
    accountOperation('GET /sapi/v1/margin/account', {}, ({ account }) =>
      marginAccountView(state, marginIdOf(account.id)),
    ),
    accountOperation(
      'GET /sapi/v1/margin/maxBorrowable',
      { params: ['asset', 'isolatedSymbol'] },
      ({ account, params }) => {
        const amount = formatUnits(maxBorrowable(state, marginIdOf(account.id), assetOf(params)));
        return { amount, borrowLimit: amount };
      },
    ),
    accountOperation(
      'GET /sapi/v1/margin/maxTransferable',
      { params: ['asset', 'isolatedSymbol'] },
      ({ account, params }) => ({
        amount: formatUnits(maxTransferable(state, marginIdOf(account.id), assetOf(params))),
      }),
    ),
    accountOperation('GET /sapi/v1/margin/tradeCoeff', {}, () => ({
      normalBar: '1.5',
      marginCallBar: '1.3',
      forceLiquidationBar: '1.1',
    })),
  ];
}

function loanOperations({ exchange, now }: VenueContext): Operation[] {
  const { margin } = exchange;
  return [
    accountOperation(
      'POST /sapi/v1/margin/borrow-repay',
      { params: ['asset', 'isIsolated', 'symbol', 'amount', 'type'] },
      ({ account, params }) => {
        assertCross(params);
        const [id, asset, amount] = [marginIdOf(account.id), assetOf(params), amountOf(params)];
        const type = required(params, 'type');
        if (type === 'BORROW') return { tranId: margin.borrow(id, asset, amount).id };
        if (type === 'REPAY') return { tranId: margin.repay(id, asset, amount).id };
        throw VENUE_ERRORS.invalidValue('type');
      },
    ),
    accountOperation(
      'POST /sapi/v1/asset/transfer',
      { params: ['type', 'asset', 'amount'] },
      ({ account, params }) => {
        const type = required(params, 'type');
        // Only transfers between spot and cross margin are simulated.
        if (type !== 'MAIN_MARGIN' && type !== 'MARGIN_MAIN') throw VENUE_ERRORS.unsupported();
        margin.transfer(account, type === 'MAIN_MARGIN', assetOf(params), amountOf(params));
        return { tranId: now() };
      },
    ),
  ];
}

function historyOperations({ exchange: { state } }: VenueContext): Operation[] {
  return [
    accountOperation(
      'GET /sapi/v1/margin/borrow-repay',
      { params: [...HISTORY_PARAMS, 'type', 'txId'] },
      ({ account, params }) => {
        const type = required(params, 'type');
        if (type !== 'BORROW' && type !== 'REPAY') throw VENUE_ERRORS.invalidValue('type');
        const id = integerOf(params, 'txId');
        const rows = state.loans
          .changesOf(marginIdOf(account.id))
          .filter((row) => row.type === type && (id === undefined || row.id === id));
        return pageOf(params, rows, loanView);
      },
    ),
    accountOperation(
      'GET /sapi/v1/margin/interestHistory',
      { params: HISTORY_PARAMS },
      ({ account, params }) => pageOf(params, state.loans.chargesOf(marginIdOf(account.id)), interestView),
    ),
    accountOperation(
      'GET /sapi/v1/margin/interestRateHistory',
      { params: ['asset', 'vipLevel', 'startTime', 'endTime', 'limit'] },
      ({ params }) => [
        {
          asset: assetOf(params),
          dailyInterestRate: dailyRateText(),
          timestamp: state.loans.chargedAt,
          vipLevel: 0,
        },
      ],
    ),
    accountOperation('GET /sapi/v1/margin/forceLiquidationRec', { params: HISTORY_PARAMS }, () => ({
      rows: [],
      total: 0,
    })),
  ];
}

/** Returns a page of rows, newest first, as the venue's margin histories do. */
function pageOf<T extends { readonly asset: string; readonly at: number }>(
  params: URLSearchParams,
  rows: readonly T[],
  view: (row: T) => object,
): object {
  if (params.has('isolatedSymbol')) throw MARGIN_ERRORS.isolatedUnsupported();
  const asset = params.has('asset') ? assetOf(params) : undefined;
  const from = integerOf(params, 'startTime') ?? 0;
  const to = integerOf(params, 'endTime') ?? Number.POSITIVE_INFINITY;
  const page = integerOf(params, 'current') ?? 1;
  const size = limitOf(new URLSearchParams({ limit: params.get('size') ?? '10' }), 10, 100);
  const wanted = rows
    .filter((row) => (asset === undefined || row.asset === asset) && row.at >= from && row.at <= to)
    .reverse();
  return { rows: wanted.slice((page - 1) * size, page * size).map(view), total: wanted.length };
}

/** @throws VenueError -11001 for isolated margin */
export function assertCross(params: URLSearchParams): void {
  if ((params.get('isIsolated') ?? 'FALSE').toUpperCase() !== 'FALSE')
    throw MARGIN_ERRORS.isolatedUnsupported();
}

function assetOf(params: URLSearchParams): string {
  if (params.has('isolatedSymbol')) throw MARGIN_ERRORS.isolatedUnsupported();
  const asset = required(params, 'asset');
  if (!ASSETS.includes(asset)) throw MARGIN_ERRORS.badAsset();
  return asset;
}

function amountOf(params: URLSearchParams): bigint {
  const units = parseUnits(required(params, 'amount'));
  if (typeof units !== 'bigint' || units === 0n) throw VENUE_ERRORS.malformed('amount');
  return units;
}
