/**
 * Grants rewards for events.
 *
 * 1. The grant and the relay's progress are written in one transaction, so an event is handled once. Handling it again
 *    would grant no second reward: unique indexes ensure that each reward type is granted once per user, and once per
 *    account at an exchange, even if several users connect that account.
 * 2. No reward is granted for an account without an account id from its exchange, because users could connect it
 *    repeatedly.
 * 3. The amount is the one in the catalogue when the event is handled. If it is zero, the event never grants a reward.
 */
import { type Decimal, decodeId, reward as rewardSchema } from '@trading-automation/contracts';
import { createRelay, type Relay, type RelayedEvent, type Tx } from '@trading-automation/persistence';
import type { Ledger } from '../ledger/index.js';
import { emitEvent } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { BigDecimal } from '../values/index.js';
import { rewardView } from './reward.view.js';
import {
  DEFAULT_AMOUNTS,
  EVENT_REWARD_TYPES,
  type EventRewardType,
  type RewardCode,
} from './reward-catalogue.js';
import {
  findGrants,
  findReward,
  type Grant,
  insertReward,
  type RewardTrigger,
  upsertRewardType,
} from './rewards.queries.js';

const CONSUMER = 'rewards';
/** The minimum pause between two runs of the relay: rewards are not urgent. */
const MIN_INTERVAL_MS = 250;

export interface RewardSettings {
  /** Reward tokens per grant. Default: depends on the world. */
  readonly amounts: Readonly<Partial<Record<RewardCode, Decimal | undefined>>>;
  /** Number of days in which a reward can be claimed. Default: unlimited. */
  readonly expiresDays?: number | undefined;
}

export class RewardAccrual {
  constructor(
    private readonly platform: Platform,
    private readonly ledger: Ledger,
    private readonly settings: RewardSettings,
  ) {}

  /** Stores the catalogue that the APIs show and that grants use. */
  async publishRewardTypes(): Promise<void> {
    for (const { code, name, description } of EVENT_REWARD_TYPES) {
      const rate = this.settings.amounts[code] ?? DEFAULT_AMOUNTS[this.platform.world][code];
      const fields = { code, name, description, basis: 'FLAT', rate, period: null } as const;
      await upsertRewardType(this.platform.database.manager, {
        ...fields,
        isActive: new BigDecimal(rate).gt(0),
      });
    }
  }

  /** Creates the relay that grants rewards as events arrive. The caller starts and stops it. */
  relay(onError: (error: unknown) => void): Relay {
    const { database, listener } = this.platform;
    return createRelay({
      dataSource: database,
      listener,
      consumer: CONSUMER,
      handle: (tx, events) => this.grantFor(tx, events),
      minIntervalMs: MIN_INTERVAL_MS,
      onError,
    });
  }

  private async grantFor(tx: Tx, events: readonly RelayedEvent[]): Promise<void> {
    // Frequent syncs of one account emit many events; at most one grant per account can result.
    const triggers = new Map<string, RewardTrigger>();
    for (const event of events) {
      const rewardType = EVENT_REWARD_TYPES.find(({ event: type }) => type === event.type);
      if (rewardType === undefined) continue;
      const trigger = toRewardTrigger(rewardType, event);
      const key = `${rewardType.code} ${trigger.exchangeAccountId}`;
      if (!triggers.has(key)) triggers.set(key, trigger);
    }
    for (const { trigger, grant } of await findGrants(tx, [...triggers.values()])) {
      const rewardType = EVENT_REWARD_TYPES.find(({ code }) => code === trigger.code)!;
      await this.grant(tx, rewardType, trigger, grant);
    }
  }

  private async grant(
    tx: Tx,
    rewardType: EventRewardType,
    trigger: RewardTrigger,
    grant: Grant,
  ): Promise<void> {
    const id = await insertReward(tx, {
      trigger,
      grant,
      currency: this.ledger.token.currency,
      reason: rewardType.reason,
      sourceKind: rewardType.source,
      expiresDays: this.settings.expiresDays ?? null,
    });
    if (id === undefined) return;
    const { userId } = trigger;
    const row = await findReward(tx, userId, id);
    if (row === undefined) throw new Error(`reward ${id} disappeared after it was granted`);
    await emitEvent(tx, { userId, type: 'reward.granted', schema: rewardSchema, record: rewardView(row) });
  }
}

function toRewardTrigger(
  { code, source }: EventRewardType,
  { id, userId, payload }: RelayedEvent,
): RewardTrigger {
  const { data } = JSON.parse(Buffer.from(payload).toString()) as {
    data: { id: string; exchange_account_id?: string };
  };
  const accountId = source === 'trade' ? data.exchange_account_id : data.id;
  const exchangeAccountId = accountId === undefined ? null : decodeId('exa', accountId);
  const sourceId = decodeId(source === 'trade' ? 'trd' : 'exa', data.id);
  if (exchangeAccountId === null || sourceId === null)
    throw new Error(`event ${id} has no valid account or source id`);
  return { code, userId, eventId: id, exchangeAccountId, sourceId };
}
