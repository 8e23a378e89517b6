/**
 * Loads records by id for field resolvers. The ids requested in one tick are read with one statement.
 *
 * Loaders belong to one operation, so records are never cached for another caller or operation.
 */

import { Injectable } from '@nestjs/common';
import { DomainError, type Fill, fill } from '@trading-automation/contracts';
import type { Actor } from '@trading-automation/core';
import { TradesService } from '@trading-automation/core/trades';
import DataLoader from 'dataloader';
import { type NodePrefix, NodeTypes } from './node-types.js';
import { compileOutputConverter } from './value-converters.js';

const BATCH_MAX = 100;

@Injectable()
export class LoaderFactory {
  private readonly convertFill = compileOutputConverter(fill);

  constructor(
    private readonly nodeTypes: NodeTypes,
    private readonly trades: TradesService,
  ) {}

  /** Creates the loaders of one operation. */
  create(actor: Actor | null): Loaders {
    return new Loaders(actor, this.nodeTypes, async (reader, ids) => {
      const fills: readonly (readonly Fill[])[] = await this.trades.fillsOfMany(reader, ids);
      return fills.map((ofTrade) => ofTrade.map(this.convertFill));
    });
  }
}

export class Loaders {
  private readonly loaders = new Map<string, DataLoader<string, object | null>>();
  private fillLoader: DataLoader<string, readonly unknown[]> | undefined;

  constructor(
    private readonly actor: Actor | null,
    private readonly nodeTypes: NodeTypes,
    private readonly readFills: (actor: Actor, tradeIds: readonly string[]) => Promise<readonly unknown[][]>,
  ) {}

  /** Loads a record whose id has this prefix; null if it does not exist or the caller may not read it. */
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
    if (!this.nodeTypes.has(prefix)) throw new DomainError('not_found');
    const record = await this.load(prefix, id);
    if (record === null) throw new DomainError('not_found');
    return { ...record, __typename: this.nodeTypes.get(prefix).type };
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
      const { readMany, convert } = this.nodeTypes.get(prefix);
      loader = new DataLoader(
        async (ids) => {
          const records = await readMany(this.requireActor(), ids);
          return records.map((record) => (record === null ? null : convert(record)));
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
