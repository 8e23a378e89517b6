import type { ContractSpec } from '../../engine/futures/contracts.js';
import type { AlgoOrder, AlgoRequest, AlgoType } from '../../engine/futures/futures-order.js';
import type { Account } from '../../engine/order.js';
import { VENUE_ERRORS } from '../../errors.js';
import { FUTURES_ERRORS } from '../../futures-errors.js';
import { accountOperation, type Operation } from '../operation.js';
import { placed } from '../order-operations.js';
import { readSide } from '../order-params.js';
import { integerOf, pageOf, readFlag, required } from '../params.js';
import { contractParam, type FuturesContext, futuresAccountOf, optionalContract } from './futures-context.js';
import {
  assertPositionSide,
  assertSupported,
  readClientId,
  readLots,
  readTicks,
  readTimeInForce,
  readUnits,
  readWorkingType,
  SHARED_PARAMS,
} from './futures-order-params.js';
import { algoResultView, algoView } from './futures-order-views.js';

const TYPES: readonly AlgoType[] = [
  'STOP',
  'STOP_MARKET',
  'TAKE_PROFIT',
  'TAKE_PROFIT_MARKET',
  'TRAILING_STOP_MARKET',
];
const ALGO_PARAMS = [
  ...SHARED_PARAMS,
  'algoType',
  'clientAlgoId',
  'triggerPrice',
  'activatePrice',
  'activationPrice',
  'callbackRate',
];
const ID_PARAMS = ['symbol', 'algoId', 'clientAlgoId'];
/** The allowed distance of a trailing stop in units of 0.01 %. */
const CALLBACK = { min: 10n, max: 1_000n } as const;

/** Declares the operations on conditional orders. */
export function algoOperations(context: FuturesContext): Operation[] {
  const { futures } = context;
  const viewOf = (algo: AlgoOrder) =>
    algoView(algo, algo.orderId === undefined ? undefined : futures.state.order(algo.orderId));
  return [
    accountOperation(
      'POST /fapi/v1/algoOrder',
      { params: ALGO_PARAMS, socketMethod: 'algoOrder.place' },
      (call) => placed(context, call, (account, params) => placeAlgo(context, account, params)),
    ),
    accountOperation(
      'DELETE /fapi/v1/algoOrder',
      { params: ID_PARAMS, socketMethod: 'algoOrder.cancel' },
      ({ account, params }) => {
        const algo = findAlgo(context, account, params);
        if (algo === undefined) throw VENUE_ERRORS.cancelUnknown();
        return { ...algoResultView(futures.algos.cancel(algo)), code: '200', msg: 'success' };
      },
    ),
    accountOperation('DELETE /fapi/v1/algoOpenOrders', { params: ['symbol'] }, ({ account, params }) => {
      for (const algo of futures.algos.openOf(account.id, contractParam(params).id))
        futures.algos.cancel(algo);
      return { code: 200, msg: 'The operation of cancel all open order is done.' };
    }),
    accountOperation('GET /fapi/v1/algoOrder', { params: ID_PARAMS }, ({ account, params }) => {
      const algo = findAlgo(context, account, params);
      if (algo === undefined) throw VENUE_ERRORS.noSuchOrder();
      return viewOf(algo);
    }),
    accountOperation(
      'GET /fapi/v1/openAlgoOrders',
      { params: ['symbol', 'algoType', 'algoId'] },
      ({ account, params }) => {
        const id = integerOf(params, 'algoId');
        const open = futures.algos.openOf(account.id, optionalContract(params)?.id);
        return open.filter((algo) => id === undefined || algo.id === id).map(viewOf);
      },
    ),
    accountOperation(
      'GET /fapi/v1/allAlgoOrders',
      { params: ['symbol', 'algoId', 'startTime', 'endTime', 'page', 'limit'] },
      ({ account, params }) => {
        const { id } = contractParam(params);
        const rows = futures.state.algoOrdersOf(account.id).filter(({ symbol }) => symbol === id);
        return pageOf(params, 'algoId')(rows, ({ createdAt }) => createdAt).map(viewOf);
      },
    ),
  ];
}

function placeAlgo(context: FuturesContext, account: Account, params: URLSearchParams): object {
  const spec = contractParam(params);
  const owner = futuresAccountOf(context, account);
  const request = readAlgo(spec, params);
  assertPositionSide(owner, params);
  return algoResultView(context.futures.algos.place(owner, spec, request));
}

/** Reads a new conditional order. @throws VenueError if a parameter is missing, malformed or not allowed for its type */
function readAlgo(spec: ContractSpec, params: URLSearchParams): AlgoRequest {
  if (required(params, 'algoType') !== 'CONDITIONAL') throw VENUE_ERRORS.invalidValue('algoType');
  const type = TYPES.find((name) => name === required(params, 'type'));
  if (type === undefined) throw FUTURES_ERRORS.badOrderType();
  assertSupported(params);
  const isLimit = type === 'STOP' || type === 'TAKE_PROFIT';
  const isTrailing = type === 'TRAILING_STOP_MARKET';
  const isClosePosition = readFlag(params, 'closePosition');
  for (const [name, isUsed] of [
    ['price', isLimit],
    ['triggerPrice', !isTrailing],
    ['activatePrice', isTrailing],
    ['activationPrice', isTrailing],
    ['callbackRate', isTrailing],
  ] as const)
    if (!isUsed && params.has(name)) throw VENUE_ERRORS.notRequired(name);
  if (isClosePosition && (isLimit || isTrailing)) throw VENUE_ERRORS.invalidCombination();
  if (isClosePosition && (params.has('quantity') || params.has('reduceOnly')))
    throw FUTURES_ERRORS.closePositionQuantity();
  return {
    side: readSide(params),
    type,
    timeInForce: readTimeInForce(params.get('timeInForce') ?? 'GTC'),
    lots: isClosePosition ? 0 : readLots(spec, params),
    priceTicks: isLimit ? readTicks(spec, params, 'price') : 0,
    workingType: readWorkingType(params),
    isReduceOnly: readFlag(params, 'reduceOnly'),
    isClosePosition,
    clientAlgoId: readClientId(params, 'clientAlgoId'),
    ...(isTrailing ? readTrailing(spec, params) : { triggerTicks: readTicks(spec, params, 'triggerPrice') }),
  };
}

/** Reads the activation price, which the venue names in two ways, and the distance of a trailing stop. */
function readTrailing(
  spec: ContractSpec,
  params: URLSearchParams,
): Pick<AlgoRequest, 'triggerTicks'> & { readonly trailingBips: number } {
  const name = ['activatePrice', 'activationPrice'].find((one) => params.has(one));
  const bips = readUnits(params, 'callbackRate', 2);
  if (bips < CALLBACK.min || bips > CALLBACK.max) throw VENUE_ERRORS.invalidValue('callbackRate');
  return {
    triggerTicks: name === undefined ? 0 : readTicks(spec, params, name),
    trailingBips: Number(bips),
  };
}

function findAlgo(
  { futures: { state } }: FuturesContext,
  account: Account,
  params: URLSearchParams,
): AlgoOrder | undefined {
  const id = integerOf(params, 'algoId');
  const clientId = params.get('clientAlgoId');
  if (id === undefined && clientId === null) throw VENUE_ERRORS.missingBoth('algoId', 'clientAlgoId');
  optionalContract(params);
  return state
    .algoOrdersOf(account.id)
    .findLast((algo) => (id === undefined ? algo.clientAlgoId === clientId : algo.id === id));
}
