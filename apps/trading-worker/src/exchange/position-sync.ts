import { setTimeout as sleep } from 'node:timers/promises';
import { Batcher } from '@trading-automation/core';
import type { PositionReports, StoredPositions } from '@trading-automation/core/positions';
import {
  type ExchangeClient,
  ExchangeError,
  type LeverageSettings,
  type PositionClient,
  type PositionReport,
  type VenuePosition,
} from '@trading-automation/exchanges';
import type { Logger } from '@trading-automation/runtime';
import pLimit from 'p-limit';
import type { AccountStreams } from '../streams/account-streams.js';
import type { AccountClients } from './account-clients.js';

interface PositionUpdate {
  readonly accountId: string;
  readonly positions: readonly VenuePosition[];
  readonly at: Date;
}

const HOLD_MS = 200;
/** Accounts whose reports are stored at the same time. */
const STORE_CONCURRENCY = 8;

/** Reads positions, margins and leverage from exchanges, and stores what account streams report about positions. */
export class PositionSync {
  private readonly updates: Batcher<PositionUpdate, StoredPositions>;
  /** Accounts that are being read because a stream reported a position without everything that is needed of it. */
  private readonly reading = new Map<string, Promise<void>>();
  private readonly limitStores = pLimit(STORE_CONCURRENCY);

  constructor(
    private readonly reports: PositionReports,
    private readonly clients: AccountClients,
    private readonly streams: Pick<AccountStreams, 'isLive' | 'reconcileSoon'>,
    private readonly logger: Logger,
  ) {
    this.updates = new Batcher((updates) => this.storeUpdates(updates));
  }

  /**
   * Stores positions that were just read, and reads the margin and the settings of the markets in use. Does nothing for
   * trading types without positions.
   *
   * @throws {ExchangeError} if the margin cannot be read
   */
  async complete(accountId: string, client: ExchangeClient, report: PositionReport | null): Promise<void> {
    const { positions } = client;
    if (positions === undefined || report === null) return;
    await this.store(accountId, report, positions);
    for (const symbol of await this.reports.marketsInUse(accountId))
      await this.readSettings(accountId, symbol, positions);
  }

  /** Reads the settings of the markets in use that were never read. */
  private async readNewSettings(accountId: string): Promise<void> {
    const { positions } = (await this.clients.open(accountId)).client.as('check');
    if (positions === undefined) return;
    for (const symbol of await this.reports.marketsInUse(accountId, true))
      await this.readSettings(accountId, symbol, positions);
  }

  /**
   * Reads the positions and the margin of an account, to see whether the margin is low. If an amount differs from the
   * stored one, a live stream should have reported it, so the account is reconciled.
   */
  async watch(accountId: string): Promise<void> {
    const { account, client } = await this.clients.open(accountId);
    const { positions } = client.as('check');
    if (positions === undefined) return;
    try {
      const wasLive = this.streams.isLive(accountId);
      const { isChanged } = await this.readAndStore(accountId, positions);
      if (isChanged && wasLive) this.streams.reconcileSoon(accountId);
    } catch (error) {
      if (error instanceof ExchangeError) await this.clients.onExchangeError(account, error);
      throw error;
    }
  }

  /** Resolves when a reported position may be stored: some exchanges report it before the fill that changed it. */
  hold(): Promise<void> {
    return sleep(HOLD_MS, undefined, { ref: false });
  }

  /** Stores the positions that a stream reports. If they cannot be stored, the account is reconciled. */
  onStreamUpdate(accountId: string, positions: readonly VenuePosition[], at: Date): void {
    this.updates.add({ accountId, positions, at }).then(
      ({ isIncomplete }) => {
        if (isIncomplete) this.readSoon(accountId);
      },
      (error) => {
        this.logger.warn(
          { event: 'position_update.not_stored', err: error, account_id: accountId },
          'Could not store positions from the account stream; reconciling the account.',
        );
        this.streams.reconcileSoon(accountId);
      },
    );
  }

  /**
   * Sets the leverage of an account for a market, and stores it.
   *
   * @throws {ExchangeError} if the exchange refuses or does not respond
   */
  async setLeverage(
    accountId: string,
    symbol: string,
    settings: Parameters<PositionClient['setLeverage']>[1],
  ): Promise<LeverageSettings> {
    const { account, client } = await this.clients.open(accountId);
    const { positions } = client.as('user');
    if (positions === undefined)
      throw new ExchangeError('rejected', 'refused', 'The account does not trade perpetuals.');
    try {
      const changed = await positions.setLeverage(symbol, settings);
      await this.reports.storeSettings(accountId, symbol, changed);
      // The margins that some exchanges report with the balances change with the leverage, without an event of the stream.
      this.streams.reconcileSoon(accountId);
      return changed;
    } catch (error) {
      if (error instanceof ExchangeError) await this.clients.onExchangeError(account, error);
      throw error;
    }
  }

  /** Resolves when every report is stored. */
  async drain(): Promise<void> {
    await this.updates.drain();
    await Promise.all(this.reading.values());
  }

  private async readAndStore(accountId: string, client: PositionClient) {
    return this.store(accountId, await client.fetchPositions(), client);
  }

  private async store(accountId: string, report: PositionReport, client: PositionClient) {
    const margin = await client.fetchMargin();
    return this.reports.storeReading(accountId, { report, margin });
  }

  /** A market whose settings cannot be read keeps the stored ones. */
  private async readSettings(accountId: string, symbol: string, client: PositionClient): Promise<void> {
    try {
      await this.reports.storeSettings(accountId, symbol, await client.fetchLeverage(symbol));
    } catch (error) {
      if (!(error instanceof ExchangeError) || error.outcome === 'fatal') throw error;
      const { outcome, code } = error;
      this.logger.warn(
        { event: 'leverage.not_read', account_id: accountId, symbol, outcome, code },
        'Could not read the leverage of a market.',
      );
    }
  }

  /** Reads an account in the background, once for all updates that arrive meanwhile. */
  private readSoon(accountId: string): void {
    if (this.reading.has(accountId)) return;
    const reading = this.watch(accountId)
      .then(() => this.readNewSettings(accountId))
      .catch((error) => {
        this.logger.warn(
          { event: 'positions.not_read', err: error, account_id: accountId },
          'Could not read the positions of an account.',
        );
      })
      .finally(() => this.reading.delete(accountId));
    this.reading.set(accountId, reading);
  }

  /** Stores the reports of each account in order. */
  private async storeUpdates(updates: readonly PositionUpdate[]): Promise<readonly StoredPositions[]> {
    const results: StoredPositions[] = [];
    const accountIds = [...new Set(updates.map(({ accountId }) => accountId))];
    await this.limitStores.map(accountIds, async (id) => {
      for (const [index, { accountId, positions, at }] of updates.entries())
        if (accountId === id) results[index] = await this.reports.storeUpdate(id, positions, at);
    });
    return results;
  }
}
