import { parseUnits, UNIT_DECIMALS } from '../../engine/decimal.js';
import { maxNotionalAt } from '../../engine/futures/contracts.js';
import { settingsOf } from '../../engine/futures/futures-account.js';
import type { Account } from '../../engine/order.js';
import { VENUE_ERRORS } from '../../errors.js';
import { FUTURES_ERRORS } from '../../futures-errors.js';
import { accountOperation, type Operation } from '../operation.js';
import { integerOf, readFlag, required } from '../params.js';
import { selected } from './futures-account-views.js';
import { contractParam, type FuturesContext, futuresAccountOf, optionalContract } from './futures-context.js';
import { assertPositionSide, readUnits } from './futures-order-params.js';

const SUCCESS = { code: 200, msg: 'success' };

/** Declares the operations that read and change leverage, margin and position modes. */
export function settingsOperations(context: FuturesContext): Operation[] {
  return [...leverageOperations(context), ...modeOperations(context)];
}

function leverageOperations(context: FuturesContext): Operation[] {
  const { settings } = context.futures;
  return [
    accountOperation('POST /fapi/v1/leverage', { params: ['symbol', 'leverage'] }, ({ account, params }) => {
      const spec = contractParam(params);
      required(params, 'leverage');
      const leverage = integerOf(params, 'leverage') ?? 0;
      settings.setLeverage(futuresAccountOf(context, account), spec, leverage);
      return { leverage, maxNotionalValue: wholeLimit(maxNotionalAt(spec, leverage)), symbol: spec.id };
    }),
    accountOperation(
      'POST /fapi/v1/marginType',
      { params: ['symbol', 'marginType'] },
      ({ account, params }) => {
        const spec = contractParam(params);
        const type = required(params, 'marginType');
        if (type !== 'ISOLATED' && type !== 'CROSSED') throw VENUE_ERRORS.invalidValue('marginType');
        settings.setIsolated(futuresAccountOf(context, account), spec, type === 'ISOLATED');
        return SUCCESS;
      },
    ),
    accountOperation(
      'POST /fapi/v1/positionMargin',
      { params: ['symbol', 'positionSide', 'amount', 'type'] },
      ({ account, params }) => movePositionMargin(context, account, params),
    ),
    accountOperation('GET /fapi/v1/symbolConfig', { params: ['symbol'] }, ({ account, params }) =>
      selected(optionalContract(params)).map((spec) => {
        const { leverage, isIsolated } = settingsOf(futuresAccountOf(context, account), spec.id);
        return {
          symbol: spec.id,
          marginType: isIsolated ? 'ISOLATED' : 'CROSSED',
          isAutoAddMargin: 'false',
          leverage,
          maxNotionalValue: wholeLimit(maxNotionalAt(spec, leverage)),
        };
      }),
    ),
  ];
}

/** Adds to the margin of an isolated position (`type` 1) or takes from it (`type` 2). */
function movePositionMargin(context: FuturesContext, account: Account, params: URLSearchParams): object {
  const spec = contractParam(params);
  const owner = futuresAccountOf(context, account);
  assertPositionSide(owner, params);
  const type = integerOf(params, 'type');
  if (type !== 1 && type !== 2) throw VENUE_ERRORS.invalidValue('type');
  if (parseUnits(required(params, 'amount')) === 0n) throw FUTURES_ERRORS.amountNotPositive();
  const amount = readUnits(params, 'amount', UNIT_DECIMALS);
  context.futures.settings.moveMargin(owner, spec, type === 1 ? amount : -amount);
  return {
    amount: Number(params.get('amount')),
    code: 200,
    msg: 'Successfully modify position margin.',
    type,
  };
}

function modeOperations(context: FuturesContext): Operation[] {
  return [
    accountOperation('GET /fapi/v1/positionSide/dual', {}, ({ account }) => ({
      dualSidePosition: futuresAccountOf(context, account).isHedged,
    })),
    accountOperation(
      'POST /fapi/v1/positionSide/dual',
      { params: ['dualSidePosition'] },
      ({ account, params }) => {
        required(params, 'dualSidePosition');
        const isHedged = readFlag(params, 'dualSidePosition');
        context.futures.settings.changeHedged(futuresAccountOf(context, account), isHedged);
        return SUCCESS;
      },
    ),
    accountOperation('GET /fapi/v1/multiAssetsMargin', {}, () => ({ multiAssetsMargin: false })),
    accountOperation('POST /fapi/v1/multiAssetsMargin', { params: ['multiAssetsMargin'] }, ({ params }) => {
      required(params, 'multiAssetsMargin');
      if (readFlag(params, 'multiAssetsMargin')) throw VENUE_ERRORS.unsupported();
      return SUCCESS;
    }),
  ];
}

/** Formats a limit in whole USDT. */
function wholeLimit(amount: bigint): string {
  return String(amount / 100_000_000n);
}
