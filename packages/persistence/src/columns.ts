import { Column, type ColumnOptions, CreateDateColumn, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/**
 * The columns of every record. The code that creates a record sets its id (`newUuid`). The database sets the timestamps in
 * microseconds; a `Date` has only the milliseconds.
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
 * A column for money, prices and sizes: `numeric(38,18)`, read and written as a string. It is never a JavaScript number and
 * is read with all 18 decimals (`1.5` as `1.500000000000000000`).
 */
export function DecimalColumn(
  options: Pick<ColumnOptions, 'name' | 'nullable' | 'default'> = {},
): PropertyDecorator {
  return Column({ ...options, type: 'numeric', precision: 38, scale: 18 });
}
