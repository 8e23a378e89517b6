import type { ExchangeVenue } from '@trading-automation/exchanges';
import { newUuid } from '@trading-automation/persistence';
import type { Platform } from '../platform.js';

type Offer = Pick<ExchangeVenue, 'id' | 'name' | 'tradingTypes'>;

/** Tells the APIs which exchanges this deployment offers: those that its trading workers are configured with. */
export class VenueCatalogue {
  constructor(private readonly platform: Platform) {}

  async offer(venues: readonly Offer[]): Promise<void> {
    for (const { id, name, tradingTypes } of venues) {
      await this.platform.database.query(
        `INSERT INTO supported_exchanges (id, code, name, trading_types, is_active) VALUES ($1, $2, $3, $4, true)
         ON CONFLICT (code) DO UPDATE SET name = excluded.name, trading_types = excluded.trading_types,
           is_active = true, updated_at = now()`,
        [newUuid(), id, name, tradingTypes],
      );
    }
    await this.platform.database.query(
      'UPDATE supported_exchanges SET is_active = false, updated_at = now() WHERE is_active AND NOT code = ANY ($1)',
      [venues.map(({ id }) => id)],
    );
  }
}
