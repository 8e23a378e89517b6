import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the further properties of pairs that exchanges report. Existing pairs have the defaults until a worker starts and
 * updates them.
 */
export class Markets1763700000018 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE trade_pairs
        ADD COLUMN exchange_symbol text NOT NULL DEFAULT '',
        ADD COLUMN settle text,
        ADD COLUMN market_amount_step numeric(38,18),
        ADD COLUMN market_max_amount numeric(38,18),
        ADD COLUMN contract_size numeric(38,18),
        ADD COLUMN maker_fee numeric(38,18),
        ADD COLUMN taker_fee numeric(38,18),
        ADD COLUMN order_types text[] NOT NULL DEFAULT '{LIMIT,MARKET,STOP_LIMIT,STOP_MARKET}',
        ADD COLUMN time_in_forces text[] NOT NULL DEFAULT '{GTC,IOC,FOK,POST_ONLY}'`);
    await runner.query("UPDATE trade_pairs SET exchange_symbol = replace(symbol, '/', '')");
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
