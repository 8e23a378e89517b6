/**
 * Grants rewards for what happened.
 *
 * 1. An event is handled once: the grant and the relay's progress are one transaction. Handled again all the same,
 *    it grants nothing more, for each kind is granted once to a user and once for an account at an exchange,
 *    whoever connects it: unique indexes say so.
 * 2. An account whose id the exchange does not tell grants nothing: it could be connected again and again.
 * 3. What is granted is what the catalogue says at that moment; an amount of zero grants nothing, and later either.
 */
import { type Decimal, decodeId, reward as rewardSchema } from '@trading-automation/contracts';
import { createRelay, type Relay, type RelayedEvent, type Tx } from '@trading-automation/persistence';
import type { Ledger } from '../ledger/index.js';
import { emitEvent } from '../operations/index.js';
import type { Platform } from '../platform/index.js';
import { BigDecimal } from '../values/index.js';
import { rewardView } from './reward.view.js';
import { DEFAULT_AMOUNTS, REWARD_KINDS, type RewardCode, type RewardKind } from './reward-catalogue.js';
import {
  findGrants,
  findReward,
  type Grant,
  insertReward,
  type RewardTrigger,
  upsertRewardType,
} from './rewards.queries.js';

const CONSUMER = 'rewards';
/** Nobody waits for a reward. */
const PACE_MS = 250;

export interface RewardSettings {
  /** Reward tokens of one grant; where absent, what the world grants by default. */
  readonly amounts: Readonly<Partial<Record<RewardCode, Decimal | undefined>>>;
  /** How long a reward can be claimed; for ever where absent. */
  readonly expiresDays?: number | undefined;
}

export class RewardAccrual {
  constructor(
    private readonly platform: Platform,
    private readonly ledger: Ledger,
    private readonly settings: RewardSettings,
  ) {}

  /** Writes the catalogue that the APIs show and that grants go by. */
  async publishRewardTypes(): Promise<void> {
    for (const { code, name, description } of REWARD_KINDS) {
      const rate = this.settings.amounts[code] ?? DEFAULT_AMOUNTS[this.platform.world][code];
      const offered = { code, name, description, basis: 'FLAT', rate, period: null } as const;
      await upsertRewardType(this.platform.database.manager, {
        ...offered,
        isActive: new BigDecimal(rate).gt(0),
      });
    }
  }

  /** What grants as events come; the caller starts and stops it. */
  relay(onError: (error: unknown) => void): Relay {
    const { database, listener } = this.platform;
    return createRelay({
      dataSource: database,
      listener,
      consumer: CONSUMER,
      handle: (tx, events) => this.grantFor(tx, events),
      minIntervalMs: PACE_MS,
      onError,
    });
  }

  private async grantFor(tx: Tx, events: readonly RelayedEvent[]): Promise<void> {
    // An account that is read often tells so often; one grant is all it can ask for.
    const occasions = new Map<string, RewardTrigger>();
    for (const event of events) {
      const kind = REWARD_KINDS.find(({ event: type }) => type === event.type);
      if (kind === undefined) continue;
      const occasion = toRewardTrigger(kind, event);
      const key = `${kind.code} ${occasion.exchangeAccountId}`;
      if (!occasions.has(key)) occasions.set(key, occasion);
    }
    for (const { occasion, grant } of await findGrants(tx, [...occasions.values()])) {
      const kind = REWARD_KINDS.find(({ code }) => code === occasion.code)!;
      await this.grant(tx, kind, occasion, grant);
    }
  }

  private async grant(tx: Tx, kind: RewardKind, occasion: RewardTrigger, grant: Grant): Promise<void> {
    const id = await insertReward(tx, {
      trigger: occasion,
      grant,
      currency: this.ledger.token.currency,
      reason: kind.reason,
      sourceKind: kind.source,
      expiresDays: this.settings.expiresDays ?? null,
    });
    if (id === undefined) return;
    const { userId } = occasion;
    const row = await findReward(tx, userId, id);
    if (row === undefined) throw new Error('a reward that was granted just now is gone');
    await emitEvent(tx, { userId, type: 'reward.granted', schema: rewardSchema, record: rewardView(row) });
  }
}

function toRewardTrigger({ code, source }: RewardKind, { id, userId, payload }: RelayedEvent): RewardTrigger {
  const { data } = JSON.parse(Buffer.from(payload).toString()) as {
    data: { id: string; exchange_account_id?: string };
  };
  const accountId = source === 'trade' ? data.exchange_account_id : data.id;
  const exchangeAccountId = accountId === undefined ? null : decodeId('exa', accountId);
  const sourceId = decodeId(source === 'trade' ? 'trd' : 'exa', data.id);
  if (exchangeAccountId === null || sourceId === null) throw new Error('an event names no account');
  return { code, userId, eventId: id, exchangeAccountId, sourceId };
}
