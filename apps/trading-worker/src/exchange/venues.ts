import { ExchangeError, type ExchangeVenue } from '@trading-automation/exchanges';

/** The exchanges that this worker is configured with. */
export class Venues {
  private readonly byId: ReadonlyMap<string, ExchangeVenue>;

  constructor(readonly all: readonly ExchangeVenue[]) {
    this.byId = new Map(all.map((venue) => [venue.id, venue]));
  }

  /** @throws {ExchangeError} where this worker has no such exchange */
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
