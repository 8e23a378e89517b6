import { formatUnits } from '../../engine/decimal.js';
import type { FuturesOrder, Income } from '../../engine/futures/futures-order.js';
import type { Account } from '../../engine/order.js';
import { VENUE_ERRORS } from '../../errors.js';
import { accountOperation, type Operation } from '../operation.js';
import { integerOf, limitOf } from '../params.js';
import {
  accountPositionView,
  accountSumsView,
  activeContracts,
  balanceView,
  bracketsView,
  incomeView,
  type MarginReading,
  positionRiskView,
  readMargin,
  selected,
} from './futures-account-views.js';
import { contractParam, type FuturesContext, futuresAccountOf, optionalContract } from './futures-context.js';
import { futuresOrderView } from './futures-order-views.js';

/** Declares the operations that read balances, margins, positions and incomes. */
export function futuresAccountOperations(context: FuturesContext): Operation[] {
  const readingOf = (account: Account) => readMargin(context, futuresAccountOf(context, account));
  return [
    ...balanceOperations(context, readingOf),
    ...positionOperations(context, readingOf),
    ...historyOperations(context),
  ];
}

type ReadingOf = (account: Account) => MarginReading;

function balanceOperations(context: FuturesContext, readingOf: ReadingOf): Operation[] {
  const flags = (account: Account) => ({
    feeTier: 0,
    canTrade: account.canTrade,
    canDeposit: true,
    canWithdraw: account.canWithdraw,
    updateTime: 0,
    multiAssetsMargin: false,
    tradeGroupId: -1,
  });
  const balance = ({ account }: { account: Account }) => [balanceView(readingOf(account))];
  return [
    accountOperation('GET /fapi/v2/balance', { socketMethod: 'account.balance' }, balance),
    accountOperation('GET /fapi/v3/balance', { socketMethod: 'v2/account.balance' }, balance),
    accountOperation('GET /fapi/v2/account', { socketMethod: 'account.status' }, ({ account }) => {
      const reading = readingOf(account);
      return {
        ...flags(account),
        ...accountSumsView(reading),
        positions: reading.margin.contracts.map((one) => accountPositionView(reading, one)),
      };
    }),
    accountOperation('GET /fapi/v3/account', { socketMethod: 'v2/account.status' }, ({ account }) => {
      const reading = readingOf(account);
      return {
        ...accountSumsView(reading),
        positions: activeContracts(reading).map((one) => accountPositionView(reading, one)),
      };
    }),
    accountOperation('GET /fapi/v1/accountConfig', {}, ({ account }) => ({
      ...flags(account),
      dualSidePosition: futuresAccountOf(context, account).isHedged,
    })),
    accountOperation('GET /fapi/v1/commissionRate', { params: ['symbol'] }, ({ params }) => ({
      symbol: contractParam(params).id,
      makerCommissionRate: formatUnits(BigInt(context.fees.makerPpm), 6),
      takerCommissionRate: formatUnits(BigInt(context.fees.takerPpm), 6),
    })),
    accountOperation('GET /fapi/v1/rateLimit/order', {}, ({ account }) =>
      context.limits.orderView(account.id),
    ),
  ];
}

function positionOperations(context: FuturesContext, readingOf: ReadingOf): Operation[] {
  const { futures } = context;
  return [
    accountOperation(
      'GET /fapi/v2/positionRisk',
      { params: ['symbol'], socketMethod: 'account.position' },
      ({ account, params }) => {
        const reading = readingOf(account);
        const symbols = new Set(selected(optionalContract(params)).map(({ id }) => id));
        return reading.margin.contracts
          .filter(({ symbol }) => symbols.has(symbol))
          .map((one) => positionRiskView(context, reading, one));
      },
    ),
    accountOperation(
      'GET /fapi/v3/positionRisk',
      { params: ['symbol'], socketMethod: 'v2/account.position' },
      ({ account, params }) => {
        const reading = readingOf(account);
        const symbols = new Set(selected(optionalContract(params)).map(({ id }) => id));
        return activeContracts(reading)
          .filter(({ symbol }) => symbols.has(symbol))
          .map((one) => positionRiskView(context, reading, one));
      },
    ),
    accountOperation('GET /fapi/v1/leverageBracket', { params: ['symbol'] }, ({ params }) =>
      selected(optionalContract(params)).map(bracketsView),
    ),
    accountOperation('GET /fapi/v1/adlQuantile', { params: ['symbol'] }, ({ account, params }) =>
      selected(optionalContract(params))
        .filter(({ id }) => (futures.state.account(account.id).positions.get(id)?.lots ?? 0) !== 0)
        .map(({ id }) => ({ symbol: id, adlQuantile: { LONG: 0, SHORT: 0, BOTH: 0 } })),
    ),
  ];
}

function historyOperations(context: FuturesContext): Operation[] {
  const { state } = context.futures;
  return [
    accountOperation(
      'GET /fapi/v1/income',
      { params: ['symbol', 'incomeType', 'startTime', 'endTime', 'page', 'limit'] },
      ({ account, params }) => incomes(state.incomesOf(account.id), params).map(incomeView),
    ),
    accountOperation(
      'GET /fapi/v1/forceOrders',
      { params: ['symbol', 'autoCloseType', 'startTime', 'endTime', 'limit'] },
      ({ account, params }) => forcedOrders(state.ordersOf(account.id), params).map(futuresOrderView),
    ),
  ];
}

/** Selects incomes. Without a start, it returns the newest ones; `page` counts from 1. */
function incomes(rows: readonly Income[], params: URLSearchParams): Income[] {
  const symbol = optionalContract(params)?.id;
  const type = params.get('incomeType');
  const from = integerOf(params, 'startTime');
  const to = integerOf(params, 'endTime') ?? Number.POSITIVE_INFINITY;
  const limit = limitOf(params, 100);
  const page = integerOf(params, 'page') ?? 1;
  if (page < 1) throw VENUE_ERRORS.malformed('page');
  const wanted = rows.filter(
    (row) =>
      (symbol === undefined || row.symbol === symbol) &&
      (type === null || row.type === type) &&
      row.at >= (from ?? 0) &&
      row.at <= to,
  );
  if (from === undefined && page === 1) return wanted.slice(-limit);
  return wanted.slice((page - 1) * limit, page * limit);
}

function forcedOrders(rows: readonly FuturesOrder[], params: URLSearchParams): FuturesOrder[] {
  const symbol = optionalContract(params)?.id;
  const type = params.get('autoCloseType');
  if (type !== null && type !== 'LIQUIDATION' && type !== 'ADL')
    throw VENUE_ERRORS.invalidValue('autoCloseType');
  const from = integerOf(params, 'startTime') ?? 0;
  const to = integerOf(params, 'endTime') ?? Number.POSITIVE_INFINITY;
  return rows
    .filter(
      ({ forced, symbol: one, createdAt }) =>
        (type === null ? forced !== undefined : forced === type) &&
        (symbol === undefined || one === symbol) &&
        createdAt >= from &&
        createdAt <= to,
    )
    .slice(-limitOf(params, 50, 100));
}
