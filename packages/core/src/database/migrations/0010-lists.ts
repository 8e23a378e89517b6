import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates an index for every order of the older lists, so that a page by cursor is a range of an index. */
export class Lists1763700000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX api_keys_user_name_idx ON api_keys (user_id, name, id)');
    for (const sort of ['created_at', 'name']) {
      await runner.query(`CREATE INDEX supported_exchanges_${sort}_idx ON supported_exchanges (${sort}, id)`);
    }
    // The filter of trade pairs ignores the case of an exchange's name.
    await runner.query(
      'CREATE INDEX supported_exchanges_lower_name_idx ON supported_exchanges (lower(name))',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
