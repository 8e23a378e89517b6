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

type Given = Readonly<Record<string, unknown>>;

/** What users do with copiers and with what these follow, on one database. */
export class CopiersUnderTest {
  /** Whose turn it is. */
  actor!: Actor;
  /** Where the actor's strategy trades. */
  source!: RecordIds;
  /** Where the actor's copies are made. */
  account!: RecordIds;
  /** The actor's own, and private. */
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

  /** For the next test: somebody new, with a strategy and an account to copy it to. */
  async reset(): Promise<void> {
    this.actor = await this.core.actor();
    this.source = await this.core.account(this.actor);
    this.account = await this.core.account(this.actor);
    this.strategy = await this.makeStrategy(this.actor, this.source);
  }

  makeStrategy(owner: Actor, on: RecordIds, more: Given = {}): Promise<Strategy> {
    const input = strategyCreate.parse({ name: 's', exchange_account_id: on.id, ...more });
    return this.strategies.create(owner, input);
  }

  /** A strategy of somebody else. */
  async foreignStrategy(more: Given = {}): Promise<Strategy> {
    const owner = await this.core.actor();
    return this.makeStrategy(owner, await this.core.account(owner), more);
  }

  /** Changes the strategies on the source account, by their columns. */
  async setStrategy(columns: string): Promise<void> {
    await this.core.rows(`UPDATE strategies SET ${columns} WHERE exchange_account_id = $1`, this.source.uuid);
  }

  inputOf(more: Given = {}, on = this.account): CopierCreate {
    return copierCreate.parse({
      name: 'Follower',
      exchange_account_id: on.id,
      sizing: { mode: 'MULTIPLIER', value: '0.5' },
      ...more,
    });
  }

  /** A copier that follows nothing, unless told otherwise. */
  create(more: Given = {}): Promise<Copier> {
    return this.copiers.create(this.actor, this.inputOf(more));
  }

  createLinked(more: Given = {}): Promise<Copier> {
    return this.create({ strategy_id: this.strategy.id, ...more });
  }

  async started(more: Given = {}): Promise<Copier> {
    return this.copiers.start(this.actor, (await this.createLinked(more)).id);
  }

  /** The names of the copiers that a query string asks for. */
  async namesOf(text = ''): Promise<string[]> {
    return (await this.copiers.list(this.actor, parseListQuery(text))).items.map(({ name }) => name);
  }

  /** The kinds of what was announced to the actor, oldest first. */
  async eventTypes(): Promise<string[]> {
    return (await this.core.events(this.actor.userId)).map(({ type }) => type);
  }
}

/** A query string of the list as the service takes it. */
export function parseListQuery(text: string): Parameters<CopiersService['list']>[1] {
  const given = Object.fromEntries(new URLSearchParams(text));
  return querySchemaOf(copierOperations.list).parse(given) as Parameters<CopiersService['list']>[1];
}

/** The refusal of what the copier's state, or that of what it follows or trades on, rules out. */
export const stateRefusal = (state: string) => ({
  code: 'invalid_state',
  details: [{ code: 'invalid_state', state }],
});
