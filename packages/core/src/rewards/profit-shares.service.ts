/**
 * Grants the owners of strategies their share of copiers' profit, as rewards of the type PROFIT_SHARE.
 *
 * 1. A copier's profit with a strategy counts from the first copy on, even if the copier is stopped, started or
 *    removed. Each quote currency counts separately. Fees in base and quote currency are deducted.
 * 2. A period is settled after its end, with the state at its end. It is settled for every copier that then had no open
 *    lots of the strategy. Other copiers' profit waits for a later period. The result does not depend on when the
 *    settlement runs. One exception: fills that the exchange reports after the settlement count in the next period.
 * 3. Each copier, strategy, quote currency and period is settled once. Share, reward and event are written in one
 *    transaction. One unique index rejects a second settlement. Another index ensures that profit above one mark is
 *    shared once.
 * 4. Owners are not granted a share of their own copiers' profit.
 */
import {
  type Decimal,
  encodeId,
  PROFIT_SHARE_PERIODS,
  type ProfitSharePeriod,
  reward as rewardSchema,
} from '@trading-automation/contracts';
import { inTransaction, type Tx, withAdvisoryLock } from '@trading-automation/persistence';
import type { Ledger } from '../ledger/index.js';
import { emitEvent } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { BigDecimal } from '../values/index.js';
import { type ProfitShare, periodsToSettle, profitShareOf, type UtcPeriod } from './profit-share.rules.js';
import {
  type CopierProfit,
  copiersAfter,
  insertProfitShare,
  insertShareReward,
  lockSettlement,
  readCopierProfits,
  readSettledUntil,
  storeSettledUntil,
} from './profit-shares.queries.js';
import { rewardView } from './reward.view.js';
import { DEFAULT_TOKENS_PER_QUOTE, PROFIT_SHARE_TYPE } from './reward-catalogue.js';
import { findReward, upsertRewardType } from './rewards.queries.js';

/**
 * The time between a period's end and its settlement, in which the period's last fills are reported and booked.
 */
const SETTLEMENT_DELAY_MS = 10 * 60_000;
const COPIERS_PER_BATCH = 500;
/** Reading the profits of a long period takes longer than a request may. */
const SLOW_STATEMENTS = { statementTimeoutMs: 60_000 };
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

export interface ProfitShareSettings {
  /** Reward tokens per unit of each quote currency. Default: depends on the world. */
  readonly tokensPerQuote?: Readonly<Record<string, Decimal>> | undefined;
  /** Number of days in which a reward can be claimed. Default: unlimited. */
  readonly expiresDays?: number | undefined;
}

export class ProfitSharesService {
  private readonly tokensPerQuote: ReadonlyMap<string, Decimal>;

  constructor(
    private readonly platform: Platform,
    private readonly ledger: Ledger,
    private readonly settings: ProfitShareSettings,
  ) {
    const rates = settings.tokensPerQuote ?? DEFAULT_TOKENS_PER_QUOTE[platform.world];
    this.tokensPerQuote = new Map(Object.entries(rates));
  }

  /** Stores the reward type that the APIs show. */
  async publishRewardType(): Promise<void> {
    const isActive = this.tokensPerQuote.size > 0;
    await upsertRewardType(this.platform.database.manager, { ...PROFIT_SHARE_TYPE, isActive });
  }

  /**
   * Settles ended periods that are not settled yet, oldest first. Returns how many rewards this call granted. Does not
   * wait if another process is settling.
   *
   * @param now the current time; default: the time of the database. A period is settled from ten minutes after its end.
   */
  async settleDue(now?: Date): Promise<number> {
    const { database } = this.platform;
    const endedBy = new Date((now ?? (await this.databaseTime())).getTime() - SETTLEMENT_DELAY_MS);
    let granted = 0;
    for (const kind of PROFIT_SHARE_PERIODS) {
      if ((await this.duePeriods(kind, endedBy)).length === 0) continue;
      const settlement = await withAdvisoryLock(database, 'profit shares', async (signal) => {
        for (const period of await this.duePeriods(kind, endedBy)) {
          granted += await this.settle(kind, period, signal);
          await storeSettledUntil(database.manager, kind, period.to);
        }
      });
      if (!settlement.acquired) return granted;
    }
    return granted;
  }

  /**
   * Settles one period of the strategies with periods of this kind; existing settlements stay. Returns how many rewards
   * were granted.
   */
  async settle(kind: ProfitSharePeriod, period: UtcPeriod, signal?: AbortSignal): Promise<number> {
    const { database } = this.platform;
    let granted = 0;
    for (let after = NIL_UUID; ; ) {
      signal?.throwIfAborted();
      const copierIds = await copiersAfter(database.manager, after, COPIERS_PER_BATCH);
      const copierProfits = await inTransaction(
        database,
        (tx) => readCopierProfits(tx, kind, period, copierIds),
        SLOW_STATEMENTS,
      );
      const settling = copierProfits.filter((copierProfit) => this.shareOf(copierProfit) !== null);
      for (const copierId of new Set(settling.map(({ copierId }) => copierId)))
        granted += await inTransaction(
          database,
          (tx) => this.settleCopier(tx, kind, period, copierId),
          SLOW_STATEMENTS,
        );
      if (copierIds.length < COPIERS_PER_BATCH) return granted;
      after = copierIds.at(-1)!;
    }
  }

  private async settleCopier(
    tx: Tx,
    kind: ProfitSharePeriod,
    period: UtcPeriod,
    copierId: string,
  ): Promise<number> {
    await lockSettlement(tx, copierId);
    let granted = 0;
    for (const copierProfit of await readCopierProfits(tx, kind, period, [copierId])) {
      const share = this.shareOf(copierProfit);
      if (share !== null && (await this.settleShare(tx, copierProfit, share, period))) granted += 1;
    }
    return granted;
  }

  /** Returns whether a reward was granted. */
  private async settleShare(
    tx: Tx,
    copierProfit: CopierProfit,
    { amount, highWaterMark }: ProfitShare,
    period: UtcPeriod,
  ): Promise<boolean> {
    const tokensPerQuote = this.tokensPerQuote.get(copierProfit.quote) ?? null;
    const shareId = await insertProfitShare(tx, {
      copierProfit,
      period,
      tokensPerQuote,
      highWaterMark,
    });
    if (shareId === undefined || amount === '0') return false;
    const { ownerId: userId, copierId } = copierProfit;
    const id = await insertShareReward(tx, {
      shareId,
      userId,
      copierId,
      code: PROFIT_SHARE_TYPE.code,
      amount,
      currency: this.ledger.token.currency,
      reason: reasonFor(copierProfit, highWaterMark),
      expiresDays: this.settings.expiresDays ?? null,
    });
    const row = await findReward(tx, userId, id);
    if (row === undefined) throw new Error(`reward ${id} disappeared after it was granted`);
    await emitEvent(tx, { userId, type: 'reward.granted', schema: rewardSchema, record: rewardView(row) });
    return true;
  }

  private shareOf(copierProfit: CopierProfit): ProfitShare | null {
    return profitShareOf({ ...copierProfit, tokensPerQuote: this.tokensPerQuote.get(copierProfit.quote) });
  }

  private async duePeriods(kind: ProfitSharePeriod, at: Date): Promise<readonly UtcPeriod[]> {
    return periodsToSettle(kind, await readSettledUntil(this.platform.database.manager, kind), at);
  }

  private async databaseTime(): Promise<Date> {
    const [row] = await this.platform.database.query('SELECT clock_timestamp() AS now');
    return row.now;
  }
}

function reasonFor({ copierId, quote, rate, highWaterMark }: CopierProfit, reached: Decimal): string {
  const percent = new BigDecimal(rate).times(100).toFixed();
  const gain = new BigDecimal(reached).minus(highWaterMark).toFixed();
  return `${percent} % of the ${gain} ${quote} that copier ${encodeId('cpr', copierId)} made above its high-water mark.`;
}
