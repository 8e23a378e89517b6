import {
  type Copier,
  type CopierCreate,
  copierCreate,
  copierOperations,
  type Strategy,
  strategyCreate,
} from '@trading-automation/contracts';

import { type Actor, querySchemaOf } from '../../operations/index.js';
import { StrategiesService } from '../../strategies/index.js';
import { CoreUnderTest, type RecordIds } from '../../testing/index.js';
import { CopiersService } from '../copiers.service.js';

type Fields = Readonly<Record<string, unknown>>;

/** A test environment with the services of copiers and strategies on one database. */
export class CopiersUnderTest {
  /** The current test's user. */
  actor!: Actor;
  /** The account that the actor's strategy trades on. */
  source!: RecordIds;
  /** The account that the actor's copies are placed on. */
  account!: RecordIds;
  /** The actor's own private strategy. */
  strategy!: Strategy;

  private constructor(
    readonly core: CoreUnderTest,
    readonly copiers: CopiersService,
    readonly strategies: StrategiesService,
  ) {}

  static async open(): Promise<CopiersUnderTest> {
    const core = await CoreUnderTest.open();
    const { platform, lists, commands } = core;
    return new CopiersUnderTest(
      core,
      new CopiersService(platform, lists, commands),
      new StrategiesService(platform, lists, commands),
    );
  }

  close(): Promise<void> {
    return this.core.close();
  }

  /** Prepares the next test: a new user with a strategy, and a second account on which it can be copied. */
  async reset(): Promise<void> {
    this.actor = await this.core.actor();
    this.source = await this.core.account(this.actor);
    this.account = await this.core.account(this.actor);
    this.strategy = await this.makeStrategy(this.actor, this.source);
  }

  /** Creates a strategy on an account of its owner. */
  makeStrategy(owner: Actor, on: RecordIds, more: Fields = {}): Promise<Strategy> {
    const input = strategyCreate.parse({
      name: 's',
      exchange_account_id: on.id,
      allow_multiplier: true,
      ...more,
    });
    return this.strategies.create(owner, input);
  }

  /** Creates a strategy of another user. */
  async foreignStrategy(more: Fields = {}): Promise<Strategy> {
    const owner = await this.core.actor();
    return this.makeStrategy(owner, await this.core.account(owner), more);
  }

  /** Changes columns of the actor's strategy, in SQL. */
  async setStrategy(columns: string): Promise<void> {
    await this.core.rows(`UPDATE strategies SET ${columns} WHERE exchange_account_id = $1`, this.source.uuid);
  }

  inputOf(more: Fields = {}, on = this.account): CopierCreate {
    return copierCreate.parse({
      name: 'Follower',
      exchange_account_id: on.id,
      sizing: { mode: 'MULTIPLIER', value: '0.5' },
      ...more,
    });
  }

  /** Creates a copier, which follows no strategy unless `more` has a `strategy_id`. */
  create(more: Fields = {}): Promise<Copier> {
    return this.copiers.create(this.actor, this.inputOf(more));
  }

  /** Creates a copier that follows the actor's strategy. */
  createLinked(more: Fields = {}): Promise<Copier> {
    return this.create({ strategy_id: this.strategy.id, ...more });
  }

  /** Creates and starts a copier that follows the actor's strategy. */
  async started(more: Fields = {}): Promise<Copier> {
    return this.copiers.start(this.actor, (await this.createLinked(more)).id);
  }

  /** Returns the names of the copiers that a query string selects. */
  async namesOf(queryString = ''): Promise<string[]> {
    return (await this.copiers.list(this.actor, parseListQuery(queryString))).items.map(({ name }) => name);
  }

  /** Returns the types of the events emitted to the actor, oldest first. */
  async eventTypes(): Promise<string[]> {
    return (await this.core.events(this.actor.userId)).map(({ type }) => type);
  }
}

/** Parses a query string of the list into the service's input. */
export function parseListQuery(queryString: string): Parameters<CopiersService['list']>[1] {
  const params = Object.fromEntries(new URLSearchParams(queryString));
  return querySchemaOf(copierOperations.list).parse(params) as Parameters<CopiersService['list']>[1];
}

/** The error for an operation that the state of the copier, its strategy or its account does not permit. */
export const invalidStateError = (state: string) => ({
  code: 'invalid_state',
  details: [{ code: 'invalid_state', state }],
});
