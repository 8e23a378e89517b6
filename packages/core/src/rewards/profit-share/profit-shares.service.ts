/**
 * Grants the owners of strategies their share of copying users' profit, as rewards of the type PROFIT_SHARE.
 *
 * 1. Profit counts for each copying user and leader's account, over all copiers and strategies, from the first copy on.
 *    One mark belongs to both; it survives stops, restarts and deletions of copiers and strategies.
 * 2. A period is settled after its end, with the state at its end. The result does not depend on when the settlement
 *    runs. One exception: fills that the exchange reports after the settlement count in the next period. A period waits
 *    for the value of its last fees, at most 6 hours after its end.
 * 3. Each period of a user and account is settled once. Settlement, reward and event are written in one transaction. One
 *    unique index rejects a second settlement. Another ensures that profit above one mark is shared once.
 * 4. Grants are PENDING until the month ends. Then all grants of the month are scaled by one factor, so that they do not
 *    exceed the budget, and `reward.claimable` is emitted for each. Marks are not scaled.
 * 5. Nothing is shared with the user's own strategies, between linked users, or from new users.
 */
import {
  type Decimal,
  PROFIT_SHARE_PERIODS,
  reward as rewardSchema,
  type World,
} from '@trading-automation/contracts';
import { inTransaction, type Tx, withAdvisoryLock } from '@trading-automation/persistence';
import type { Ledger } from '../../ledger/index.js';
import { emitEvent } from '../../operations/index.js';
import type { Platform } from '../../platform/index.js';
import { BigDecimal } from '../../values/index.js';
import { rewardView } from '../reward.view.js';
import { DEFAULT_TOKENS_PER_QUOTE, PROFIT_SHARE_TYPE } from '../reward-catalogue.js';
import { findReward, upsertRewardType } from '../rewards.queries.js';
import {
  type Copying,
  copyingsOf,
  copyingUsersAfter,
  insertSettledLots,
  lockSettlement,
  type Profit,
  readFormerMark,
  readHoldingCopiers,
  readLastSettlement,
  readProfit,
  readVolumes,
  readWithheld,
  recordQuotePrices,
  type Since,
} from './copied-profits.queries.js';
import { finalizeGrants } from './finalize-grants.js';
import {
  insertGrant,
  insertSettlement,
  monthsToFinalize,
  openBudgetMonth,
  readSettledUntil,
  storeSettledUntil,
} from './grants.queries.js';
import {
  budgetMonthOf,
  currencyOfMark,
  type DuePeriod,
  inOrderOfEnd,
  type ProfitShare,
  periodsToSettle,
  profitShareOf,
  type SettledTerms,
  settledTermsOf,
  waitsForFeeValue,
} from './profit-share.rules.js';

/**
 * The time between a period's end and its settlement, in which the period's last fills are reported and booked.
 */
const SETTLEMENT_DELAY_MS = 10 * 60_000;
const USERS_PER_BATCH = 500;
/** Reading the profits of a long period takes longer than a request may. */
const SLOW_STATEMENTS = { statementTimeoutMs: 60_000 };
const NIL_UUID = '00000000-0000-0000-0000-000000000000';
const DAY_MS = 86_400_000;

/** Reward tokens per UTC month. Zero in the live world, so that nothing of value is granted by accident. */
const DEFAULT_BUDGET: Readonly<Record<World, Decimal>> = { test: '1000000', live: '0' };
/** The age from which a user's profit is shared. */
const DEFAULT_MIN_USER_AGE_DAYS: Readonly<Record<World, number>> = { test: 0, live: 14 };

export interface ProfitShareSettings {
  /** Reward tokens per unit of each quote currency. Default: depends on the world. */
  readonly tokensPerQuote?: Readonly<Record<string, Decimal>> | undefined;
  /** Reward tokens that the grants of one UTC month may not exceed. Default: depends on the world. */
  readonly monthlyBudget?: Decimal | undefined;
  /** Number of days in which a reward can be claimed. Default: unlimited. */
  readonly expiresDays?: number | undefined;
}

/** The profit of a user with a leader's account at the end of a period, with what its share depends on. */
interface SettledProfit extends Profit, SettledTerms {
  readonly copying: Copying;
  readonly period: DuePeriod;
  readonly since: Since;
  readonly currency: string;
  readonly mark: Decimal;
}

/** What the settlement of one user and leader's account did. WAITING: a fee has no value yet. */
type Outcome = 'GRANTED' | 'NOT_GRANTED' | 'WAITING';

export class ProfitSharesService {
  private readonly tokensPerQuote: ReadonlyMap<string, Decimal>;
  private readonly monthlyBudget: Decimal;

  constructor(
    private readonly platform: Platform,
    private readonly ledger: Ledger,
    private readonly settings: ProfitShareSettings,
  ) {
    const rates = settings.tokensPerQuote ?? DEFAULT_TOKENS_PER_QUOTE[platform.world];
    this.tokensPerQuote = new Map(Object.entries(rates));
    this.monthlyBudget = settings.monthlyBudget ?? DEFAULT_BUDGET[platform.world];
  }

  /** Stores the reward type that the APIs show. */
  async publishRewardType(): Promise<void> {
    const isActive = this.tokensPerQuote.size > 0 && new BigDecimal(this.monthlyBudget).gt(0);
    await upsertRewardType(this.platform.database.manager, { ...PROFIT_SHARE_TYPE, isActive });
  }

  /** Records the prices that value profits of several quote currencies at the time of their fills. */
  async recordPrices(): Promise<void> {
    await recordQuotePrices(this.platform.database.manager);
  }

  /**
   * Settles ended periods that are not settled yet, oldest first, then makes the grants of ended months final. Returns
   * how many rewards this call granted. Does not wait if another process is settling.
   *
   * @param now the current time; default: the time of the database. A period is settled from ten minutes after its end.
   */
  async settleDue(now?: Date): Promise<number> {
    const { database } = this.platform;
    const at = now ?? (await this.databaseTime());
    const endedBy = new Date(at.getTime() - SETTLEMENT_DELAY_MS);
    const { manager } = database;
    const isDue =
      (await this.duePeriods(endedBy)).length > 0 || (await monthsToFinalize(manager, endedBy)).length > 0;
    if (!isDue) return 0;
    let granted = 0;
    await withAdvisoryLock(database, 'profit shares', async (signal) => {
      const waiting: DuePeriod[] = [];
      for (const period of await this.duePeriods(endedBy)) {
        if (waiting.some(({ kind }) => kind === period.kind)) continue;
        const settled = await this.settle(period, at, signal);
        granted += settled.granted;
        if (settled.isWaiting) waiting.push(period);
        else await storeSettledUntil(manager, period.kind, period.to);
      }
      const openMonths = new Set(waiting.map(({ to }) => budgetMonthOf(to).toISOString().slice(0, 10)));
      for (const month of await monthsToFinalize(manager, endedBy)) {
        signal.throwIfAborted();
        if (openMonths.has(month)) continue;
        await inTransaction(
          database,
          (tx) => finalizeGrants(tx, month, this.monthlyBudget, this.settings.expiresDays ?? null),
          SLOW_STATEMENTS,
        );
      }
    });
    return granted;
  }

  /**
   * Settles one period of the copiers with periods of this kind; existing settlements stay. Returns how many rewards
   * were granted, and whether a settlement waits for the value of a fee.
   *
   * @param at the instant until which settlements wait
   */
  async settle(
    period: DuePeriod,
    at: Date,
    signal?: AbortSignal,
  ): Promise<{ readonly granted: number; readonly isWaiting: boolean }> {
    const { database } = this.platform;
    let granted = 0;
    let isWaiting = false;
    for (let after = NIL_UUID; ; ) {
      const userIds = await copyingUsersAfter(database.manager, after, USERS_PER_BATCH);
      const copyings = await inTransaction(
        database,
        (tx) => copyingsOf(tx, period, userIds),
        SLOW_STATEMENTS,
      );
      for (const copying of copyings) {
        signal?.throwIfAborted();
        const outcome = await inTransaction(
          database,
          (tx) => this.settleCopying(tx, copying, period, at),
          SLOW_STATEMENTS,
        );
        if (outcome === 'GRANTED') granted += 1;
        if (outcome === 'WAITING') isWaiting = true;
      }
      if (userIds.length < USERS_PER_BATCH) return { granted, isWaiting };
      after = userIds.at(-1)!;
    }
  }

  /** Settles the period of one user and leader's account. */
  private async settleCopying(tx: Tx, found: Copying, period: DuePeriod, at: Date): Promise<Outcome> {
    await lockSettlement(tx, found);
    const last = await readLastSettlement(tx, found);
    if (last !== undefined && last.periodTo >= period.to) return 'NOT_GRANTED';
    const since = last ?? null;
    const copying = { ...found, leaderAccountId: last?.leaderAccountId ?? found.leaderAccountId };
    const holding = await readHoldingCopiers(tx, copying, since, period.to);
    const terms = settledTermsOf(period.kind, period.to, last?.periodTo ?? null, holding);
    if (terms === null) return 'NOT_GRANTED';
    const currency = last?.currency ?? currencyOfMark((await readVolumes(tx, copying, period.to)) ?? []);
    if (currency === undefined) return 'NOT_GRANTED';
    const mark = last?.mark ?? (await readFormerMark(tx, copying, currency));
    const { profit, unvaluedFeeAt } = await readProfit(tx, copying, { to: period.to, since }, currency);
    if (waitsForFeeValue(unvaluedFeeAt, at)) return 'WAITING';
    if (mark === null || profit === null) return 'NOT_GRANTED';
    const settled = { ...terms, ...profit, copying, period, since, currency, mark };
    const share = await this.shareOf(tx, settled);
    return share !== null && (await this.store(tx, settled, share)) ? 'GRANTED' : 'NOT_GRANTED';
  }

  private async shareOf(tx: Tx, settled: SettledProfit): Promise<ProfitShare | null> {
    const { copying, copier, period, currency } = settled;
    const minAgeMs = DEFAULT_MIN_USER_AGE_DAYS[this.platform.world] * DAY_MS;
    const createdBefore = minAgeMs === 0 ? FOREVER : new Date(period.to.getTime() - minAgeMs);
    const withheld =
      (await readWithheld(tx, copying.userId, copier.ownerId, createdBefore)) ??
      (new BigDecimal(this.monthlyBudget).isZero() ? 'NO_BUDGET' : null);
    return profitShareOf({ ...settled, withheld, tokensPerQuote: this.tokensPerQuote.get(currency) });
  }

  /** Stores the settlement with its lots and reward. Returns whether a reward was granted. */
  private async store(tx: Tx, settled: SettledProfit, share: ProfitShare): Promise<boolean> {
    const { copying, copier, period, since, currency } = settled;
    const isGranted = share.amount !== '0';
    const settlementId = await insertSettlement(tx, {
      userId: copying.userId,
      leaderAccountId: copying.leaderAccountId,
      currency,
      period,
      copierId: copier.copierId,
      strategyId: copier.strategyId,
      rate: settled.rate,
      tokensPerQuote: this.tokensPerQuote.get(currency) ?? null,
      realized: settled.realized,
      openLoss: settled.openLoss,
      markBefore: settled.mark,
      markAfter: share.mark,
      amount: share.amount,
      withheld: share.withheld,
      budgetMonth: isGranted ? await openBudgetMonth(tx, budgetMonthOf(period.to)) : null,
    });
    if (settlementId === undefined) return false;
    await insertSettledLots(tx, settlementId, copying, { to: period.to, since }, currency);
    if (!isGranted) return false;
    const userId = copier.ownerId;
    const id = await insertGrant(tx, {
      settlementId,
      userId,
      copierId: copier.copierId,
      code: PROFIT_SHARE_TYPE.code,
      amount: share.amount,
      currency: this.ledger.token.currency,
      reason: reasonFor(settled, share.mark),
    });
    const row = await findReward(tx, userId, id);
    if (row === undefined) throw new Error(`reward ${id} disappeared after it was granted`);
    await emitEvent(tx, { userId, type: 'reward.granted', schema: rewardSchema, record: rewardView(row) });
    return true;
  }

  private async duePeriods(at: Date): Promise<readonly DuePeriod[]> {
    const periods: DuePeriod[] = [];
    for (const kind of PROFIT_SHARE_PERIODS)
      periods.push(
        ...periodsToSettle(kind, await readSettledUntil(this.platform.database.manager, kind), at),
      );
    return inOrderOfEnd(periods);
  }

  private async databaseTime(): Promise<Date> {
    const [row] = await this.platform.database.query('SELECT clock_timestamp() AS now');
    return row.now;
  }
}

/** A time before which every user was created. */
const FOREVER = new Date('9999-01-01T00:00:00Z');

function reasonFor({ currency, rate, mark }: SettledProfit, reached: Decimal): string {
  const percent = new BigDecimal(rate).times(100).toFixed();
  const gain = new BigDecimal(reached).minus(mark).toFixed();
  return `${percent} % of the ${gain} ${currency} that a user's copies of your account earned above their mark.`;
}
