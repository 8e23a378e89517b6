/**
 * The double-entry ledger of the reward token.
 *
 * 1. An entry is one fact of business, posted once: its fact and subject are unique.
 * 2. The postings of an entry sum to zero, and are never changed or removed: both are constraints of the database,
 *    as is that no account of a user goes below zero. The checks in code only give better words.
 * 3. A user's balance moves by a posting alone, in the same statement: it can't differ from what was posted.
 * 4. Locks of a user's accounts are taken in the order of their kinds, by everyone.
 */
import { canonicalDecimal, type Decimal } from '@trading-automation/contracts';
import { newUuid, type Tx } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import { REWARD_TOKENS, type RewardToken } from './reward-token.js';

/** What can be posted; with the id of its subject it names one entry. */
export type LedgerFact = 'reward.claimed' | 'withdrawal.held' | 'withdrawal.released';

/**
 * `available` and `held` belong to a user; `issuance` is where tokens come from, and is as far below zero as all
 * others are above it.
 */
export type LedgerAccount =
  | { readonly kind: 'available' | 'held'; readonly userId: string }
  | { readonly kind: 'issuance' | 'fees' };

export interface LedgerEntry {
  readonly fact: LedgerFact;
  /** The uuid of the reward or withdrawal. */
  readonly subjectId: string;
  readonly from: LedgerAccount;
  readonly to: LedgerAccount;
  /** Above zero. */
  readonly amount: Decimal;
}

export interface LedgerBalance {
  readonly available: Decimal;
  readonly held: Decimal;
}

export class Ledger {
  readonly token: RewardToken;

  constructor(private readonly platform: Platform) {
    this.token = REWARD_TOKENS[platform.world];
  }

  balance(userId: string): Promise<LedgerBalance> {
    return this.read(this.platform.database.manager, userId, '');
  }

  /** The user's balance, which nobody else moves until the transaction ends. */
  async lockBalance(tx: Tx, userId: string): Promise<LedgerBalance> {
    return this.read(tx, userId, 'FOR NO KEY UPDATE');
  }

  /** Moves an amount from one account to another. @throws where the entry stands already, or would overdraw a user */
  async post(tx: Tx, { fact, subjectId, from, to, amount }: LedgerEntry): Promise<void> {
    const lines = [
      { account: from, amount: `-${amount}` },
      { account: to, amount },
    ].sort((a, b) => (a.account.kind < b.account.kind ? -1 : 1));
    const accounts: string[] = [];
    for (const { account } of lines) accounts.push(await this.findOrCreateAccount(tx, account));
    const entryId = newUuid();
    await tx.query('INSERT INTO ledger_entries (id, fact, subject_id) VALUES ($1, $2, $3)', [
      entryId,
      fact,
      subjectId,
    ]);
    await tx.query(
      `INSERT INTO ledger_postings (entry_id, account_id, amount)
       SELECT $1, account_id, amount
       FROM unnest($2::uuid[], $3::numeric[]) WITH ORDINALITY AS line (account_id, amount, place) ORDER BY place`,
      [entryId, accounts, lines.map((line) => line.amount)],
    );
  }

  /** The id of the account, which is made where it is not there yet. */
  private async findOrCreateAccount(tx: Tx, account: LedgerAccount): Promise<string> {
    const userId = 'userId' in account ? account.userId : null;
    const { currency } = this.token;
    const find = async (): Promise<string | undefined> => {
      const owner = userId === null ? 'user_id IS NULL' : 'user_id = $3';
      const [row] = await tx.query(
        `SELECT id FROM ledger_accounts WHERE kind = $1 AND currency = $2 AND ${owner}`,
        [account.kind, currency, ...(userId === null ? [] : [userId])],
      );
      return row?.id;
    };
    const found = await find();
    if (found !== undefined) return found;
    const id = newUuid();
    await tx.query(
      `INSERT INTO ledger_accounts (id, user_id, kind, currency, balance) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING`,
      [id, userId, account.kind, currency, userId === null ? null : '0'],
    );
    return (await find()) ?? id;
  }

  private async read(tx: Tx, userId: string, lock: '' | 'FOR NO KEY UPDATE'): Promise<LedgerBalance> {
    const rows: { kind: keyof LedgerBalance; balance: string }[] = await tx.query(
      `SELECT kind, balance FROM ledger_accounts WHERE user_id = $1 AND currency = $2 ORDER BY kind ${lock}`,
      [userId, this.token.currency],
    );
    const of = (wanted: keyof LedgerBalance) =>
      canonicalDecimal(rows.find(({ kind }) => kind === wanted)?.balance ?? '0');
    return { available: of('available'), held: of('held') };
  }
}
