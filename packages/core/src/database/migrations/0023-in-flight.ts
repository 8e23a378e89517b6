import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is in flight, as of the moment of the call, whenever the statement that asks began. */
export class InFlight1763700000023 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // VOLATILE: it reads what was committed before its call. A claim waits for the locks of its users and then calls it,
    // in one statement.
    await runner.query(`
      CREATE FUNCTION webhooks_in_flight(user_ids uuid[], besides uuid[])
      RETURNS TABLE (user_id uuid, webhook_id uuid, consecutive_failures integer, in_flight bigint)
      LANGUAGE plpgsql VOLATILE AS $$
      BEGIN
        RETURN QUERY
          SELECT w.user_id, w.id, w.consecutive_failures,
            (SELECT count(*) FROM webhook_deliveries d
             WHERE d.webhook_id = w.id AND d.status = 'SENDING' AND NOT d.id = ANY(besides))
          FROM webhooks w WHERE w.user_id = ANY(user_ids) AND w.deleted_at IS NULL;
      END $$`);
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
