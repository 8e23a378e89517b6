import { ResolveField, Resolver } from '@nestjs/graphql';
import type { RequestContext } from '../graphql/context.js';

@Resolver('Trade')
export class TradeFieldsResolver {
  @ResolveField()
  exchangeAccount(record: TradeRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('exa', record.exchangeAccountId);
  }

  @ResolveField()
  tradePair(record: TradeRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('tpr', record.tradePairId);
  }

  @ResolveField()
  strategy(record: TradeRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('str', record.strategyId);
  }

  @ResolveField()
  copier(record: TradeRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('cpr', record.copierId);
  }

  @ResolveField()
  sourceTrade(record: TradeRecord, _args: unknown, { loaders }: RequestContext) {
    return loaders.load('trd', record.sourceTradeId);
  }

  /** The record contains its fills if the trade was requested by its id. */
  @ResolveField()
  fills(record: TradeRecord, _args: unknown, { loaders }: RequestContext) {
    return record.fills ?? loaders.fills(record.id);
  }
}

interface TradeRecord {
  readonly id: string;
  readonly fills?: readonly unknown[];
  readonly exchangeAccountId: string | null;
  readonly tradePairId: string | null;
  readonly strategyId: string | null;
  readonly copierId: string | null;
  readonly sourceTradeId: string | null;
}
