/**
 * Defines the record types that can be loaded by id: their schema type, their converter and the service that reads
 * them.
 */
import { Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import * as contracts from '@trading-automation/contracts';
import type { Actor } from '@trading-automation/core';
import { CopiersService } from '@trading-automation/core/copiers';
import { ExchangeAccountsService } from '@trading-automation/core/exchange-accounts';
import { NotificationsService } from '@trading-automation/core/notifications';
import { PositionsService } from '@trading-automation/core/positions';
import { RewardsService } from '@trading-automation/core/rewards';
import { StrategiesService } from '@trading-automation/core/strategies';
import { TradePairsService } from '@trading-automation/core/trade-pairs';
import { LotsService, TradesService } from '@trading-automation/core/trades';
import { WebhooksService } from '@trading-automation/core/webhooks';
import { WithdrawalAddressesService, WithdrawalsService } from '@trading-automation/core/withdrawals';
import type { z } from 'zod';
import { compileOutputConverter } from './value-converters.js';

/** Id prefixes of the record types that can be loaded by id. */
export type NodePrefix =
  | 'exa'
  | 'tpr'
  | 'trd'
  | 'lot'
  | 'pos'
  | 'str'
  | 'cpr'
  | 'rwd'
  | 'rwt'
  | 'wad'
  | 'wdr'
  | 'ntf'
  | 'whk';

type NodeRecord = { readonly id: string };
type ReadMany = (actor: Actor, ids: readonly string[]) => Promise<readonly (NodeRecord | null)[]>;

export interface NodeType {
  /** The type in the schema. */
  readonly type: string;
  readonly convert: (record: unknown) => object;
  readonly readMany: ReadMany;
}

/** Declares a record type. `bind` returns the method of its service that reads records by id. */
interface NodeDeclaration {
  readonly type: string;
  readonly convert: NodeType['convert'];
  readonly bind: (modules: ModuleRef) => ReadMany;
}

const NODES: Readonly<Record<NodePrefix, NodeDeclaration>> = {
  exa: node('ExchangeAccount', contracts.exchangeAccount, ExchangeAccountsService),
  tpr: node('TradePair', contracts.tradePair, TradePairsService),
  trd: node('Trade', contracts.trade, TradesService),
  lot: node('Lot', contracts.lot, LotsService),
  pos: node('Position', contracts.position, PositionsService),
  str: node('Strategy', contracts.strategy, StrategiesService),
  cpr: node('Copier', contracts.copier, CopiersService),
  rwd: node('Reward', contracts.reward, RewardsService),
  rwt: {
    ...node('RewardType', contracts.rewardType, RewardsService),
    bind: (modules) => {
      const rewards = modules.get(RewardsService, { strict: false });
      return (actor, ids) => rewards.getManyTypes(actor, ids);
    },
  },
  wad: node('WithdrawalAddress', contracts.withdrawalAddress, WithdrawalAddressesService),
  wdr: node('Withdrawal', contracts.withdrawal, WithdrawalsService),
  ntf: node('Notification', contracts.notification, NotificationsService),
  whk: node('Webhook', contracts.webhook, WebhooksService),
};

@Injectable()
export class NodeTypes {
  private readonly bound = new Map<NodePrefix, NodeType>();

  constructor(private readonly modules: ModuleRef) {}

  /** Returns whether records whose ids have this prefix can be loaded by id. */
  has(prefix: string): prefix is NodePrefix {
    return Object.hasOwn(NODES, prefix);
  }

  /** Returns the type of a prefix. Looks up its service when the prefix is first used, and keeps it afterwards. */
  get(prefix: NodePrefix): NodeType {
    let nodeType = this.bound.get(prefix);
    if (nodeType === undefined) {
      const { type, convert, bind } = NODES[prefix];
      nodeType = { type, convert, readMany: bind(this.modules) };
      this.bound.set(prefix, nodeType);
    }
    return nodeType;
  }
}

function node(
  type: string,
  schema: z.ZodType,
  service: Type<{ readonly getMany: ReadMany }>,
): NodeDeclaration {
  return {
    type,
    convert: compileOutputConverter(schema) as NodeType['convert'],
    bind: (modules) => {
      const reader = modules.get(service, { strict: false });
      return (actor, ids) => reader.getMany(actor, ids);
    },
  };
}
