import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates a function that counts the deliveries in flight at the time of the call, not at the start of the statement. */
export class InFlight1763700000023 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // VOLATILE, so that the function sees rows that were committed before its call. A claim waits for the locks of its
    // users and then calls the function, in one statement.
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
