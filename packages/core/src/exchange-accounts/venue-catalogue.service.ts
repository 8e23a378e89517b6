import type { ExchangeVenue } from '@trading-automation/exchanges';
import { newUuid } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';

type Offer = Pick<
  ExchangeVenue,
  'id' | 'name' | 'tradingTypes' | 'stages' | 'credentialForm' | 'isCertified'
>;

/**
 * Publishes the exchanges that this deployment offers, which are the configured venues of its trading workers. An
 * exchange that the conformance suite has not certified is inactive: no new account can be connected.
 */
export class VenueCatalogue {
  constructor(private readonly platform: Platform) {}

  async publish(venues: readonly Offer[]): Promise<void> {
    for (const { id, name, tradingTypes, stages, credentialForm, isCertified } of venues) {
      await this.platform.database.query(
        `INSERT INTO supported_exchanges (id, code, name, trading_types, is_active, stages, credential_form)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (code) DO UPDATE SET name = excluded.name, trading_types = excluded.trading_types,
           stages = excluded.stages, credential_form = excluded.credential_form, is_active = excluded.is_active, updated_at = now()`,
        [newUuid(), id, name, tradingTypes, isCertified, stages, credentialForm],
      );
    }
    await this.platform.database.query(
      'UPDATE supported_exchanges SET is_active = false, updated_at = now() WHERE is_active AND NOT code = ANY ($1)',
      [venues.map(({ id }) => id)],
    );
  }
}
