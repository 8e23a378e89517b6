/**
 * Loads records by id for field resolvers. The ids requested in one tick are read with one statement.
 *
 * Loaders belong to one operation, so records are never cached for another caller or operation.
 */

import { Injectable } from '@nestjs/common';
import * as contracts from '@trading-automation/contracts';
import { DomainError, type Fill } from '@trading-automation/contracts';
import type { Actor } from '@trading-automation/core';

import { CopiersService } from '@trading-automation/core/copiers';
import { ExchangeAccountsService } from '@trading-automation/core/exchange-accounts';
import { NotificationsService } from '@trading-automation/core/notifications';
import { RewardsService } from '@trading-automation/core/rewards';
import { StrategiesService } from '@trading-automation/core/strategies';
import { TradePairsService } from '@trading-automation/core/trade-pairs';
import { TradesService } from '@trading-automation/core/trades';
import { WebhooksService } from '@trading-automation/core/webhooks';
import { WithdrawalsService } from '@trading-automation/core/withdrawals';
import DataLoader from 'dataloader';
import type { z } from 'zod';
import { compileOutputConverter } from './value-converters.js';

const BATCH_MAX = 100;

type NodeRecord = { readonly id: string };
type ReadMany = (actor: Actor, ids: readonly string[]) => Promise<readonly (NodeRecord | null)[]>;

interface NodeType {
  /** The type in the schema. */
  readonly type: string;
  readonly shape: (record: unknown) => object;
  readonly readMany: ReadMany;
}

/** Id prefixes of the record types that can be loaded by id. */
export type NodePrefix = 'exa' | 'tpr' | 'trd' | 'str' | 'cpr' | 'rwd' | 'rwt' | 'wdr' | 'ntf' | 'whk';

@Injectable()
export class LoaderFactory {
  private readonly kinds: Readonly<{ [P in NodePrefix]: NodeType }>;
  private readonly shapeFill = compileOutputConverter(contracts.fill);

  constructor(
    accounts: ExchangeAccountsService,
    pairs: TradePairsService,
    private readonly trades: TradesService,
    strategies: StrategiesService,
    copiers: CopiersService,
    rewards: RewardsService,
    withdrawals: WithdrawalsService,
    notifications: NotificationsService,
    webhooks: WebhooksService,
  ) {
    const kind = (type: string, schema: z.ZodType, service: { getMany: ReadMany }): NodeType => ({
      type,
      shape: compileOutputConverter(schema) as NodeType['shape'],
      readMany: (actor, ids) => service.getMany(actor, ids),
    });
    this.kinds = {
      exa: kind('ExchangeAccount', contracts.exchangeAccount, accounts),
      tpr: kind('TradePair', contracts.tradePair, pairs),
      trd: kind('Trade', contracts.trade, trades),
      str: kind('Strategy', contracts.strategy, strategies),
      cpr: kind('Copier', contracts.copier, copiers),
      rwd: kind('Reward', contracts.reward, rewards),
      rwt: kind('RewardType', contracts.rewardType, {
        getMany: (actor, ids) => rewards.getManyTypes(actor, ids),
      }),
      wdr: kind('Withdrawal', contracts.withdrawal, withdrawals),
      ntf: kind('Notification', contracts.notification, notifications),
      whk: kind('Webhook', contracts.webhook, webhooks),
    };
  }

  /** Creates the loaders of one operation. */
  create(actor: Actor | null): Loaders {
    return new Loaders(actor, this.kinds, async (of, ids) => {
      const fills: readonly (readonly Fill[])[] = await this.trades.fillsOfMany(of, ids);
      return fills.map((ofTrade) => ofTrade.map(this.shapeFill));
    });
  }
}

export class Loaders {
  private readonly loaders = new Map<string, DataLoader<string, object | null>>();
  private fillLoader: DataLoader<string, readonly unknown[]> | undefined;

  constructor(
    private readonly actor: Actor | null,
    private readonly kinds: Readonly<{ [P in NodePrefix]: NodeType }>,
    private readonly readFills: (actor: Actor, tradeIds: readonly string[]) => Promise<readonly unknown[][]>,
  ) {}

  /** Loads a related record; null if it does not exist or the caller may not read it. */
  load(prefix: NodePrefix, id: string | null | undefined): Promise<object | null> | null {
    return id == null ? null : this.loaderOf(prefix).load(id);
  }

  /**
   * Loads the record of an id, with its type.
   *
   * @throws {DomainError} `not_found`
   */
  async node(id: string): Promise<object> {
    const prefix = id.slice(0, Math.max(0, id.indexOf('_')));
    const isKnown = Object.hasOwn(this.kinds, prefix);
    const record = isKnown ? await this.load(prefix as NodePrefix, id) : null;
    if (record === null) throw new DomainError('not_found');
    return { ...record, __typename: this.kinds[prefix as NodePrefix].type };
  }

  /** Loads the fills of a trade, oldest first. */
  fills(tradeId: string): Promise<readonly unknown[]> {
    this.fillLoader ??= new DataLoader((ids) => this.readFills(this.requireActor(), ids), {
      maxBatchSize: BATCH_MAX,
    });
    return this.fillLoader.load(tradeId);
  }

  private loaderOf(prefix: NodePrefix): DataLoader<string, object | null> {
    let loader = this.loaders.get(prefix);
    if (loader === undefined) {
      const { readMany, shape } = this.kinds[prefix];
      loader = new DataLoader(
        async (ids) => {
          const records = await readMany(this.requireActor(), ids);
          return records.map((record) => (record === null ? null : shape(record)));
        },
        { maxBatchSize: BATCH_MAX },
      );
      this.loaders.set(prefix, loader);
    }
    return loader;
  }

  private requireActor(): Actor {
    if (this.actor === null) throw new DomainError('authentication_required');
    return this.actor;
  }
}
