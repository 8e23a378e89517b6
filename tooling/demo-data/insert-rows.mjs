/** The rows that one statement inserts. */
const ROWS_AT_ONCE = 2000;

/**
 * Inserts rows. A column that a row lacks is null; a column that all rows lack has its default.
 *
 * @param {import('pg').Client} database
 * @param {string} table
 * @param {readonly Readonly<Record<string, unknown>>[]} rows
 */
export async function insertRows(database, table, rows) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].join(', ');
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const batch = JSON.stringify(rows.slice(start, start + ROWS_AT_ONCE));
    await database.query(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`,
      [batch],
    );
  }
}

/**
 * Runs `work` in a transaction.
 *
 * @param {import('pg').Client} database
 * @param {() => Promise<void>} work
 */
export async function inTransaction(database, work) {
  await database.query('BEGIN');
  try {
    await work();
    await database.query('COMMIT');
  } catch (error) {
    await database.query('ROLLBACK');
    throw error;
  }
}
