import { instantOf } from './units.mjs';

/** The token of the test world, which every local platform is. */
export const TOKEN = { currency: 'SVC-TEST', network: 'sepolia' };

/**
 * A movement of tokens. `issuance` and `fees` belong to the platform, the other accounts to the user.
 *
 * @typedef {'available' | 'held' | 'issuance' | 'fees'} Kind
 * @typedef {{ fact: string, subjectId: string, from: Kind, to: Kind, amount: string, at: number }} Entry
 */

/**
 * Posts entries of a user to the ledger. The postings of an entry sum to zero. The caller holds a transaction.
 *
 * @param {import('pg').Client} database
 * @param {string} userId
 * @param {readonly Entry[]} entries oldest first, so that no balance falls below zero
 * @param {import('./random.mjs').Random} random
 */
export async function postEntries(database, userId, entries, random) {
  for (const { fact, subjectId, from, to, amount, at } of entries) {
    const id = random.uuid(at);
    await database.query(
      'INSERT INTO ledger_entries (id, fact, subject_id, created_at) VALUES ($1, $2, $3, $4)',
      [id, fact, subjectId, instantOf(at)],
    );
    for (const { kind, change } of [
      { kind: from, change: `-${amount}` },
      { kind: to, change: amount },
    ]) {
      const account = await accountOf(database, kind, userId, random.uuid(at));
      await database.query('INSERT INTO ledger_postings (entry_id, account_id, amount) VALUES ($1, $2, $3)', [
        id,
        account,
        change,
      ]);
    }
  }
}

/**
 * Returns the id of a ledger account, which is created if it does not exist.
 *
 * @param {import('pg').Client} database
 * @param {Kind} kind
 * @param {string} userId
 * @param {string} newId
 * @returns {Promise<string>}
 */
async function accountOf(database, kind, userId, newId) {
  const isOfUser = kind === 'available' || kind === 'held';
  const owner = isOfUser ? userId : null;
  await database.query(
    `INSERT INTO ledger_accounts (id, user_id, kind, currency, balance) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    [newId, owner, kind, TOKEN.currency, isOfUser ? '0' : null],
  );
  const { rows } = await database.query(
    'SELECT id FROM ledger_accounts WHERE kind = $1 AND currency = $2 AND user_id IS NOT DISTINCT FROM $3',
    [kind, TOKEN.currency, owner],
  );
  return rows[0].id;
}
