import type { TradingType } from '@trading-automation/contracts';
import type { ExchangeVenue } from '@trading-automation/exchanges';
import { RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';

/** An exchange that the APIs offer. The trading worker writes these rows from its configured venues. */
@Entity('supported_exchanges')
export class SupportedExchangeEntity extends RecordColumns {
  /** The public id, for example `paper`. */
  @Column({ type: 'text' })
  code!: string;

  @Column({ type: 'text' })
  name!: string;

  @Column({ name: 'trading_types', type: 'text', array: true })
  tradingTypes!: TradingType[];

  /** The stage of each trading type. */
  @Column({ type: 'jsonb' })
  stages!: ExchangeVenue['stages'];

  /** The credentials that the exchange issues. */
  @Column({ name: 'credential_form', type: 'jsonb' })
  credentialForm!: ExchangeVenue['credentialForm'];

  @Column({ name: 'is_active', type: 'boolean' })
  isActive!: boolean;
}
