import { Column, type ColumnOptions, CreateDateColumn, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/**
 * Defines the columns that every table of records has. The code that creates a record sets its id (`newUuid`). The
 * database sets the timestamps. It stores microseconds; a `Date` has only milliseconds.
 */
export abstract class RecordColumns {
  @PrimaryColumn('uuid')
  id!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}

/**
 * Defines a `numeric(38,18)` column for money, prices and amounts. The value is a string, never a JavaScript number. It
 * is read with all 18 decimals (`1.5` as `1.500000000000000000`).
 */
export function DecimalColumn(
  options: Pick<ColumnOptions, 'name' | 'nullable' | 'default'> = {},
): PropertyDecorator {
  return Column({ ...options, type: 'numeric', precision: 38, scale: 18 });
}
