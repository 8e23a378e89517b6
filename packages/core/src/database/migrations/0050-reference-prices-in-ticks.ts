import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rounds the average prices of signals to the price tick. Their further digits reveal the leader's amounts to copiers and to
 * other readers of the signals.
 */
export class ReferencePricesInTicks1763700000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const rounded = (price: string) => `trim_scale(round(${price} / p.price_tick) * p.price_tick)`;
    const isBetweenTicks = (price: string) => `p.price_tick > 0 AND mod(${price}, p.price_tick) <> 0`;
    await runner.query(
      `UPDATE decisions d SET reference_price = ${rounded('d.reference_price')},
         inputs = CASE WHEN d.inputs ? 'reference_price'
           THEN d.inputs || jsonb_build_object('reference_price', ${rounded('d.reference_price')}::text) ELSE d.inputs END
       FROM signals s JOIN trade_pairs p ON p.id = s.trade_pair_id
       WHERE s.id = d.signal_id AND ${isBetweenTicks('d.reference_price')}`,
    );
    const copied = "(t.copy ->> 'reference_price')::numeric";
    await runner.query(
      `UPDATE trades t SET copy = t.copy || jsonb_build_object('reference_price', ${rounded(copied)}::text)
       FROM trade_pairs p WHERE p.id = t.trade_pair_id AND ${isBetweenTicks(copied)}`,
    );
    await runner.query(
      `UPDATE signals s SET reference_price = ${rounded('s.reference_price')}
       FROM trade_pairs p WHERE p.id = s.trade_pair_id AND ${isBetweenTicks('s.reference_price')}`,
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
