/** Binance's refusals. Spot has one code for most of them, which differ in their messages. */
import type { TradingType } from '@trading-automation/contracts';
import type { RefusalKind } from '../../../../conformance/scripted/model.js';

type Refusals = Readonly<Partial<Record<RefusalKind, readonly [code: number, message: string]>>>;

export const COMMON_REFUSALS: Refusals = {
  UNKNOWN_KEY: [-2015, 'Invalid API-key, IP, or permissions for action.'],
  NO_PERMISSION: [-2015, 'Invalid API-key, IP, or permissions for action.'],
  BAD_SIGNATURE: [-1022, 'Signature for this request is not valid.'],
  BAD_TIMESTAMP: [-1021, 'Timestamp for this request is outside of the recvWindow.'],
  UNKNOWN_SYMBOL: [-1121, 'Invalid symbol.'],
  BAD_PARAMETER: [-1130, 'Invalid data sent for a parameter.'],
  UNKNOWN_ORDER: [-2013, 'Order does not exist.'],
  RATE_LIMIT: [-1003, 'Too many requests.'],
  MAINTENANCE: [-1008, 'Request throttled by system-level protection.'],
};

const SPOT: Refusals = {
  ...COMMON_REFUSALS,
  PRICE_TICK: [-1013, 'Filter failure: PRICE_FILTER'],
  AMOUNT_STEP: [-1013, 'Filter failure: LOT_SIZE'],
  MIN_AMOUNT: [-1013, 'Filter failure: LOT_SIZE'],
  MAX_AMOUNT: [-1013, 'Filter failure: LOT_SIZE'],
  MIN_NOTIONAL: [-1013, 'Filter failure: NOTIONAL'],
  INSUFFICIENT_BALANCE: [-2010, 'Account has insufficient balance for requested action.'],
  WOULD_TAKE: [-2010, 'Order would immediately match and take.'],
  DUPLICATE_CLIENT_ORDER_ID: [-2010, 'Duplicate order sent.'],
};

const REFUSALS: Readonly<Record<TradingType, Refusals>> = {
  spot: SPOT,
  margin: { ...SPOT, BORROW_LIMIT: [-3006, 'Your borrow amount has exceed maximum borrow amount.'] },
  perpetual: {
    ...COMMON_REFUSALS,
    PRICE_TICK: [-4014, 'Price not increased by tick size.'],
    AMOUNT_STEP: [-1111, 'Precision is over the maximum defined for this asset.'],
    MIN_AMOUNT: [-4004, 'Quantity less than min quantity.'],
    MAX_AMOUNT: [-4005, 'Quantity greater than max quantity.'],
    MIN_NOTIONAL: [-4164, "Order's notional must be no smaller than 10 (unless you choose reduce only)."],
    INSUFFICIENT_BALANCE: [-2018, 'Balance is insufficient.'],
    INSUFFICIENT_MARGIN: [-2019, 'Margin is insufficient.'],
    WOULD_TAKE: [-5022, 'The post-only order could not be executed as maker and was rejected.'],
    DUPLICATE_CLIENT_ORDER_ID: [-4116, 'ClientOrderId is duplicated.'],
    REDUCE_ONLY: [-2022, 'ReduceOnly Order is rejected.'],
    MAX_LEVERAGE: [-4028, 'Leverage 5000 is not valid.'],
    OPEN_POSITION: [-4048, 'Margin type cannot be changed if there exists position.'],
    POSITION_MODE: [-4061, "Order's position side does not match user's setting."],
  },
};

const STATUSES: Readonly<Partial<Record<RefusalKind, number>>> = {
  UNKNOWN_KEY: 401,
  NO_PERMISSION: 401,
  RATE_LIMIT: 429,
  MAINTENANCE: 503,
};

/** Returns undefined for a refusal that the exchange does not document. */
export function refusalOf(kind: RefusalKind, tradingType: TradingType, method: string | undefined) {
  const found = REFUSALS[tradingType][kind];
  if (found === undefined) return undefined;
  const isCancellation = kind === 'UNKNOWN_ORDER' && method === 'DELETE';
  const [code, msg] = isCancellation ? [-2011, 'Unknown order sent.'] : found;
  const headers = kind === 'RATE_LIMIT' ? { 'retry-after': '1' } : undefined;
  return { status: STATUSES[kind] ?? 400, body: { code, msg }, headers };
}
