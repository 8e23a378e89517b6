import type { TradingType } from '@trading-automation/contracts';
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

  @Column({ name: 'is_active', type: 'boolean' })
  isActive!: boolean;
}
