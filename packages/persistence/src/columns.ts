import { Column, type ColumnOptions, CreateDateColumn, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/**
 * The columns of every record. The id is set by whoever makes the record (`newUuid`); the instants are the
 * database's, with microseconds, of which a `Date` shows the milliseconds.
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
 * A column for money, prices and sizes: `numeric(38,18)`, read and written as text. It is never a JavaScript
 * number, and comes back with all 18 decimals (`1.5` as `1.500000000000000000`).
 */
export function DecimalColumn(
  options: Pick<ColumnOptions, 'name' | 'nullable' | 'default'> = {},
): PropertyDecorator {
  return Column({ ...options, type: 'numeric', precision: 38, scale: 18 });
}
