import { ExchangeError, type ExchangeVenue } from '@trading-automation/exchanges';

/** The exchanges in this worker's configuration. */
export class Venues {
  private readonly byId: ReadonlyMap<string, ExchangeVenue>;

  constructor(readonly all: readonly ExchangeVenue[]) {
    this.byId = new Map(all.map((venue) => [venue.id, venue]));
  }

  /** @throws {ExchangeError} if the exchange is not in this worker's configuration */
  get(id: string): ExchangeVenue {
    const venue = this.byId.get(id);
    if (venue === undefined)
      throw new ExchangeError('retryable', 'unreachable', 'The exchange is not available at the moment.');
    return venue;
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((venue) => venue.close()));
  }
}
