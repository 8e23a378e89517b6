import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The local address of a worker from which the exchange of an account is called; null until one is chosen. */
export class EgressAddresses1763700000036 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE exchange_accounts ADD COLUMN egress_address text');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
