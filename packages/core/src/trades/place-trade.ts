import {
  DECIMAL_INTEGER_DIGITS,
  DomainError,
  encodeId,
  type TradeCreate,
  type TradeDetail,
  trade as tradeSchema,
} from '@trading-automation/contracts';
import {
  insertPrepared,
  isUniqueViolation,
  newUuid,
  queryPrepared,
  type Selection,
  type Tx,
} from '@trading-automation/persistence';

import { type AccountForTrade, lockAccountForTrade } from '../exchange-accounts/index.js';
import { type Actor, emitEvent, invalidState } from '../operations/index.js';
import { type LockedStrategy, lockStrategyForTrade } from '../strategies/index.js';
import { type PairForTrade, pairForTrade } from '../trade-pairs/index.js';
import { BigDecimal } from '../values/index.js';
import { exposureOf } from './exposure.queries.js';
import { effectOf } from './exposure.rules.js';
import { loadFreeBalances } from './free-balances.queries.js';
import {
  isCostTooLarge,
  marginReservation,
  type OrderToCheck,
  type Reservation,
  type RuleViolation,
  reservationFor,
  violationsOf,
} from './order.rules.js';
import { TradeEntity } from './trade.entity.js';
import { intentOf, type TradeViewRow, viewTrade } from './trade.view.js';
import { FIRST_CHECK_MS, notifyAccountWork } from './trades.queries.js';

type NewTrade = Partial<TradeEntity> & { readonly id: string };

/** What an order that closes one lot has in addition. */
export type LotClosing = Pick<TradeEntity, 'closesLotId' | 'intent' | 'isExit'>;

/** The columns of a trade that `placeTrade` returns. */
export type TradeSelection = Selection<TradeViewRow>;

/**
 * Validates, reserves balance, stores the trade and emits `trade.created`.
 *
 * @param closing set if the order closes one lot
 * @throws {DomainError} if invalid
 */
export async function placeTrade(
  tx: Tx,
  actor: Actor,
  input: TradeCreate,
  returning: TradeSelection,
  closing: LotClosing | null = null,
): Promise<TradeDetail> {
  const { strategy_id } = input;
  const strategy = strategy_id === undefined ? undefined : await lockStrategyForTrade(tx, actor, strategy_id);
  const account = await lockAccountForTrade(tx, actor, input.exchange_account_id);
  const pair = await pairForTrade(tx, input.trade_pair_id);
  if (strategy !== undefined) assertStrategyAllows(strategy, account, pair);
  assertTradable(account, pair, input);
  const order = {
    ...input,
    stopPrice: input.stop_price,
    timeInForce: input.time_in_force,
    reduceOnly: input.reduce_only,
  };
  const violations = violationsOf(order, pair);
  if (violations.length > 0) throw ruleViolated(violations);
  if (isCostTooLarge(order, pair)) throw costTooLarge();
  const { reservation, isExit, ...effect } = await effectOnAccount(tx, account, pair, order, closing);
  if (!input.auto_borrow) await assertFreeBalance(tx, account, reservation);

  const trade = {
    ...newTrade(actor, input, account, pair, reservation),
    ...effect,
    isExit: isExit && closing === null && !(await hasUnsentEntry(tx, account, pair)),
    ...originOf(strategy),
    ...closing,
  };
  const record = viewTrade(await insertTrade(tx, trade, returning));
  await emitEvent(tx, { userId: actor.userId, type: 'trade.created', schema: tradeSchema, record });
  await notifyAccountWork(tx, [account.id]);
  return { ...record, fills: [] };
}

interface EffectOnAccount extends Pick<TradeEntity, 'intent' | 'positionSide' | 'isExit' | 'autoRepay'> {
  readonly reservation: Reservation;
}

/** Returns what the order takes from the account's balance, and what it does to the account's exposure. */
async function effectOnAccount(
  tx: Tx,
  account: AccountForTrade,
  pair: PairForTrade,
  order: OrderToCheck & { readonly reduceOnly: boolean },
  closing: LotClosing | null,
): Promise<EffectOnAccount> {
  const { side, amount } = order;
  if (pair.tradingType === 'spot') {
    const [intent, isExit] = [intentOf(side), side === 'SELL'];
    return { reservation: reservationFor(order, pair), intent, positionSide: null, isExit, autoRepay: false };
  }
  const exposure = await exposureOf(tx, account.id, pair.id);
  const effect = effectOf({ side, amount, reduceOnly: order.reduceOnly }, exposure);
  const { intent, isExit } = effect;
  if (pair.tradingType === 'margin') {
    const autoRepay = closing !== null || intent === 'REDUCE' || intent === 'CLOSE';
    return { reservation: reservationFor(order, pair), intent, positionSide: null, isExit, autoRepay };
  }
  const openingAmount = closing === null ? effect.openingAmount : '0';
  const { leverage } = exposure;
  const reservation = marginReservation(order, pair, { openingAmount, leverage });
  return { reservation, intent, positionSide: effect.positionSide, isExit, autoRepay: false };
}

/**
 * Inserts the trade and returns the stored row, with the instants that the database assigned.
 *
 * @throws {DomainError} `already_exists` if the account already has a trade with this client order id
 */
async function insertTrade(tx: Tx, trade: NewTrade, returning: TradeSelection): Promise<TradeViewRow> {
  try {
    return await insertPrepared(tx, TradeEntity, trade, { alias: 't', returning });
  } catch (error) {
    if (!isUniqueViolation(error, 'trades_account_client_order_key')) throw error;
    const message = 'Another trade of this account already has this client_order_id. Use a new one.';
    throw new DomainError('already_exists', undefined, [
      { field: 'client_order_id', code: 'already_exists', message },
    ]);
  }
}

function newTrade(
  actor: Actor,
  input: TradeCreate,
  account: AccountForTrade,
  pair: PairForTrade,
  reservation: Reservation,
): NewTrade {
  const id = newUuid();
  return {
    id,
    userId: actor.userId,
    exchangeAccountId: account.id,
    tradePairId: pair.id,
    symbol: pair.symbol,
    tradingType: pair.tradingType,
    clientOrderId: input.client_order_id ?? encodeId('trd', id),
    type: input.type,
    side: input.side,
    reduceOnly: input.reduce_only,
    autoBorrow: input.auto_borrow,
    timeInForce: input.time_in_force,
    price: input.price ?? null,
    stopPrice: input.stop_price ?? null,
    amount: input.amount,
    requestedAmount: input.amount,
    filledAmount: '0',
    cost: '0',
    fees: [],
    reservedAsset: reservation.asset,
    reservedAmount: reservation.amount,
    status: 'PENDING',
    version: 1,
    probes: 0,
    nextCheckAt: new Date(Date.now() + FIRST_CHECK_MS),
  };
}

/**
 * Returns whether an order of the user on this pair was not sent yet and is sent in the order of creation. A later sale is
 * then sent after it: before it, the sale would sell other lots, or more than the account has.
 */
async function hasUnsentEntry(tx: Tx, account: AccountForTrade, pair: PairForTrade): Promise<boolean> {
  const rows = await queryPrepared<{ id: string }>(
    tx,
    `SELECT id FROM trades WHERE exchange_account_id = $1 AND trade_pair_id = $2 AND NOT is_exit
       AND status = 'PENDING' AND submitted_at IS NULL AND copier_id IS NULL LIMIT 1`,
    [account.id, pair.id],
  );
  return rows.length > 0;
}

/** Returns the origin: STRATEGY for a strategy's trade, whose fills become the strategy's signals; otherwise API. */
function originOf(strategy: LockedStrategy | undefined) {
  return { origin: strategy === undefined ? 'API' : 'STRATEGY', strategyId: strategy?.id ?? null } as const;
}

/** @throws {DomainError} if the strategy uses another account, does not trade this pair, or is archived */
function assertStrategyAllows(strategy: LockedStrategy, account: AccountForTrade, pair: PairForTrade): void {
  if (strategy.exchangeAccountId !== account.id) {
    const message = 'The strategy trades on another exchange account. Use the account of the strategy.';
    throw new DomainError('validation_failed', undefined, [
      { field: 'exchange_account_id', code: 'other_account', message },
    ]);
  }
  if (strategy.tradePairIds?.includes(pair.id) === false) {
    throw new DomainError('validation_failed', undefined, [
      {
        field: 'trade_pair_id',
        code: 'other_pair',
        message: 'The strategy does not trade this pair. Use one of its trade pairs.',
      },
    ]);
  }
  if (strategy.status === 'ACTIVE') return;
  const message = 'The strategy is archived and takes no new trades. Use an active strategy.';
  throw invalidState(message, strategy.status, 'strategy_id');
}

function assertTradable(account: AccountForTrade, pair: PairForTrade, input: TradeCreate): void {
  if (pair.exchange !== account.exchange || pair.tradingType !== account.tradingType) {
    throw new DomainError('validation_failed', undefined, [
      {
        field: 'trade_pair_id',
        code: 'other_exchange',
        message: `The pair is ${pair.tradingType} on ${pair.exchange}; the account is ${account.tradingType} on ${account.exchange}. Use a pair of the account's exchange and trading type.`,
      },
    ]);
  }
  if (!pair.isActive) {
    throw invalidState(inactivePairMessage(pair), 'INACTIVE', 'trade_pair_id');
  }
  if (input.reduce_only && pair.tradingType !== 'perpetual') throw onlyFor('reduce_only', 'perpetuals');
  if (input.auto_borrow && pair.tradingType !== 'margin') throw onlyFor('auto_borrow', 'margin');
}

function onlyFor(field: 'reduce_only' | 'auto_borrow', tradingType: string): DomainError {
  const message = `${field} is for ${tradingType} only. Omit it.`;
  return new DomainError('validation_failed', undefined, [{ field, code: 'not_allowed', message }]);
}

/** Says why no order can be placed on the pair. It applies to exits too, because the exchange would refuse them. */
function inactivePairMessage({ inactiveReason, replacedBy }: PairForTrade): string {
  if (inactiveReason === 'DELISTED') return 'The exchange no longer lists this pair. Use another pair.';
  if (inactiveReason === 'REPLACED') {
    const other = replacedBy === null ? 'another pair' : encodeId('tpr', replacedBy);
    return `The exchange lists another pair under this symbol, so this pair is no longer traded. Use ${other}.`;
  }
  return 'The exchange does not trade this pair at the moment. Try again later or use another pair.';
}

/** @throws {DomainError} `insufficient_balance` if the free balance is less than the reservation */
async function assertFreeBalance(
  tx: Tx,
  account: AccountForTrade,
  { asset, amount }: Reservation,
): Promise<void> {
  const balances = await loadFreeBalances(tx, [account.id], [asset]);
  const free = balances.get(account.id)?.get(asset) ?? '0';
  if (new BigDecimal(free).gte(amount)) return;
  throw new DomainError('insufficient_balance', undefined, [
    {
      field: 'amount',
      code: 'insufficient_balance',
      message: `The order needs ${new BigDecimal(amount).toString()} ${asset}; ${free} is free. Reduce the amount or add funds.`,
      asset,
      needed: new BigDecimal(amount).toString(),
      free,
    },
  ]);
}

const RULE_MESSAGES: Record<
  RuleViolation['rule'],
  (violation: Pick<RuleViolation, 'field' | 'value' | 'limit'>) => string
> = {
  order_types: ({ field, value, limit }) => `${field} must be one of ${limit} on this pair; got ${value}.`,
  time_in_forces: ({ field, value, limit }) => `${field} must be one of ${limit} on this pair; got ${value}.`,
  price_tick: ({ field, value, limit }) => `${field} must be a multiple of ${limit}; got ${value}.`,
  amount_step: ({ field, value, limit }) => `${field} must be a multiple of ${limit}; got ${value}.`,
  min_amount: ({ field, value, limit }) => `${field} must be at least ${limit}; got ${value}.`,
  max_amount: ({ field, value, limit }) => `${field} must be at most ${limit}; got ${value}.`,
  market_amount_step: ({ field, value, limit }) =>
    `${field} of a market order must be a multiple of ${limit}; got ${value}.`,
  market_max_amount: ({ field, value, limit }) =>
    `${field} of a market order must be at most ${limit}; got ${value}.`,
  min_notional: ({ value, limit }) => `Price × amount must be at least ${limit}; got ${value}.`,
  max_notional: ({ value, limit }) => `Price × amount must be at most ${limit}; got ${value}.`,
};

/**
 * Returns the error for orders that break rules.
 *
 * @param input the field of the request that determines the order's amount
 */
export function ruleViolated(violations: readonly RuleViolation[], input = 'amount'): DomainError {
  const details = violations.map(({ field, rule, value, limit }) => ({
    field: field === 'amount' ? input : field,
    code: rule,
    message: RULE_MESSAGES[rule]({ field, value, limit }),
    rule,
    value,
    limit,
  }));
  return new DomainError('exchange_rule_violated', undefined, details);
}

function costTooLarge(): DomainError {
  return new DomainError('validation_failed', undefined, [
    {
      field: 'amount',
      code: 'too_many_digits',
      message: `Price × amount must have at most ${DECIMAL_INTEGER_DIGITS} digits before the decimal point. Reduce the price or the amount.`,
    },
  ]);
}
