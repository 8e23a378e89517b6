import type { TradingType } from '@trading-automation/contracts';
import { RecordColumns } from '@trading-automation/persistence';
import { Column, Entity } from 'typeorm';

/** Written by the trading worker from its configured venues; the APIs know only these exchanges. */
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
