import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the UTC day on which the `copier_roi` that other users see was computed: it changes at most once a day. */
export class CopierRoiOnceADay1763700000051 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE strategy_figures ADD COLUMN public_copier_roi_day date');
  }

  async down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
