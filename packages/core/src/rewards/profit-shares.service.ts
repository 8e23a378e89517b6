/**
 * Grants strategies' owners their share of what copiers made: rewards of the type PROFIT_SHARE.
 *
 * 1. A copier's profit with a strategy counts from its first copy on, through stops, starts and its removal; each
 *    quote currency for itself. Fees in base and quote currency are taken off.
 * 2. A period is settled as it stood at its end, once it is over, for every copier that held nothing of the strategy
 *    then; another copier's profit waits for a later period. What comes of it does not depend on when it is done, but
 *    for fills that the exchange told of even later: they count in the next period.
 * 3. Each copier, strategy, quote currency and period is settled once: share, reward and event are one transaction, a
 *    unique index refuses a second one, and another that no profit above one mark is shared twice.
 * 4. Nobody is granted a share of their own copiers' profit.
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

/** Fills of a period's last moments are told of, and booked, by then. */
const SETTLES_AFTER_MS = 10 * 60_000;
const COPIERS_AT_ONCE = 500;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

export interface ProfitShareSettings {
  /** Reward tokens for one unit of each quote currency; where absent, what the world grants by default. */
  readonly tokensPerQuote?: Readonly<Record<string, Decimal>> | undefined;
  /** How long a reward can be claimed; for ever where absent. */
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

  /** Writes the type that the APIs show. */
  async publishRewardType(): Promise<void> {
    const isActive = this.tokensPerQuote.size > 0;
    await upsertRewardType(this.platform.database.manager, { ...PROFIT_SHARE_TYPE, isActive });
  }

  /**
   * Settles the periods that are over and were not settled, oldest first; where another process is at it, nothing.
   * Answers how many rewards were granted.
   *
   * @param now - the database's clock unless given
   */
  async settleDue(now?: Date): Promise<number> {
    const { database } = this.platform;
    const over = new Date((now ?? (await this.time())).getTime() - SETTLES_AFTER_MS);
    let granted = 0;
    for (const kind of PROFIT_SHARE_PERIODS) {
      if ((await this.due(kind, over)).length === 0) continue;
      const turn = await withAdvisoryLock(database, 'profit shares', async (signal) => {
        for (const period of await this.due(kind, over)) {
          granted += await this.settle(kind, period, signal);
          await storeSettledUntil(database.manager, kind, period.to);
        }
      });
      if (!turn.acquired) return granted;
    }
    return granted;
  }

  /**
   * Settles one period of the strategies that settle by such ones; what was settled of it before is left as it is.
   * Answers how many rewards were granted.
   */
  async settle(kind: ProfitSharePeriod, period: UtcPeriod, signal?: AbortSignal): Promise<number> {
    const { database } = this.platform;
    let granted = 0;
    for (let after = NIL_UUID; ; ) {
      signal?.throwIfAborted();
      const copierIds = await copiersAfter(database.manager, after, COPIERS_AT_ONCE);
      const standings = await readCopierProfits(database.manager, kind, period, copierIds);
      const settling = standings.filter((standing) => this.shareOf(standing) !== null);
      for (const copierId of new Set(settling.map((standing) => standing.copierId)))
        granted += await inTransaction(database, (tx) => this.settleCopier(tx, kind, period, copierId));
      if (copierIds.length < COPIERS_AT_ONCE) return granted;
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
    for (const standing of await readCopierProfits(tx, kind, period, [copierId])) {
      const share = this.shareOf(standing);
      if (share !== null && (await this.settleShare(tx, standing, share, period))) granted += 1;
    }
    return granted;
  }

  /** Whether a reward was granted. */
  private async settleShare(
    tx: Tx,
    standing: CopierProfit,
    { amount, highWaterMark }: ProfitShare,
    period: UtcPeriod,
  ): Promise<boolean> {
    const tokensPerQuote = this.tokensPerQuote.get(standing.quote) ?? null;
    const shareId = await insertProfitShare(tx, {
      copierProfit: standing,
      period,
      tokensPerQuote,
      highWaterMark,
    });
    if (shareId === undefined || amount === '0') return false;
    const { ownerId: userId, copierId } = standing;
    const id = await insertShareReward(tx, {
      shareId,
      userId,
      copierId,
      code: PROFIT_SHARE_TYPE.code,
      amount,
      currency: this.ledger.token.currency,
      reason: reasonFor(standing, highWaterMark),
      expiresDays: this.settings.expiresDays ?? null,
    });
    const row = await findReward(tx, userId, id);
    if (row === undefined) throw new Error('a reward that was granted just now is gone');
    await emitEvent(tx, { userId, type: 'reward.granted', schema: rewardSchema, record: rewardView(row) });
    return true;
  }

  private shareOf(standing: CopierProfit): ProfitShare | null {
    return profitShareOf({ ...standing, tokensPerQuote: this.tokensPerQuote.get(standing.quote) });
  }

  private async due(kind: ProfitSharePeriod, at: Date): Promise<readonly UtcPeriod[]> {
    return periodsToSettle(kind, await readSettledUntil(this.platform.database.manager, kind), at);
  }

  private async time(): Promise<Date> {
    const [row] = await this.platform.database.query('SELECT clock_timestamp() AS now');
    return row.now;
  }
}

function reasonFor({ copierId, quote, rate, highWaterMark }: CopierProfit, reached: Decimal): string {
  const percent = new BigDecimal(rate).times(100).toFixed();
  const gain = new BigDecimal(reached).minus(highWaterMark).toFixed();
  return `${percent} % of the ${gain} ${quote} that copier ${encodeId('cpr', copierId)} made above its high-water mark.`;
}
