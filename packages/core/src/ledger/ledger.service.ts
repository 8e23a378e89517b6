/**
 * Posts to and reads the double-entry ledger of the reward token.
 *
 * 1. An entry records one business fact about one subject (a reward or withdrawal), and is posted only once.
 * 2. The postings of an entry sum to zero and are never changed or removed. A user's accounts never fall below zero.
 *    Database constraints enforce these rules; the checks in code only give better error messages.
 * 3. Only the statement that inserts a posting changes the user's balance, so that the balance cannot differ from the
 *    sum of the postings.
 * 4. Every transaction locks a user's accounts in the order of their kinds.
 */
import { canonicalDecimal, type Decimal } from '@trading-automation/contracts';
import { insertMany, newUuid, type Tx } from '@trading-automation/persistence';
import type { Platform } from '../platform/index.js';
import { LedgerPostingEntity } from './ledger-posting.entity.js';
import { REWARD_TOKENS, type RewardToken } from './reward-token.js';

/** The facts that can be posted. A fact and its subject's id identify one entry. */
export type LedgerFact = 'reward.claimed' | 'withdrawal.held' | 'withdrawal.released';

/**
 * `available` and `held` belong to a user and store a balance. `issuance` and `fees` have only postings. Tokens are
 * issued from `issuance`, so the sum of its postings is minus the sum of all other accounts.
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
  /** The moved amount, above zero. */
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

  /** Returns the user's balance without locking it. */
  balance(userId: string): Promise<LedgerBalance> {
    return this.read(this.platform.database.manager, userId, '');
  }

  /** Locks and returns the user's balance. No other transaction can change the balance until `tx` ends. */
  async lockBalance(tx: Tx, userId: string): Promise<LedgerBalance> {
    return this.read(tx, userId, 'FOR NO KEY UPDATE');
  }

  /**
   * Moves an amount from one account to another.
   * @throws if the entry already exists, or if it would overdraw a user's account
   */
  async post(tx: Tx, { fact, subjectId, from, to, amount }: LedgerEntry): Promise<void> {
    const postings = [
      { account: from, amount: `-${amount}` },
      { account: to, amount },
    ].sort((a, b) => (a.account.kind < b.account.kind ? -1 : 1));
    const accounts: string[] = [];
    for (const { account } of postings) accounts.push(await this.findOrCreateAccount(tx, account));
    const entryId = newUuid();
    await tx.query('INSERT INTO ledger_entries (id, fact, subject_id) VALUES ($1, $2, $3)', [
      entryId,
      fact,
      subjectId,
    ]);
    await insertMany(
      tx,
      LedgerPostingEntity,
      postings.map(({ amount }, i) => ({ entryId, accountId: accounts[i]!, amount })),
    );
  }

  /** Returns the id of the account; creates the account if it does not exist. */
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
    const existing = await find();
    if (existing !== undefined) return existing;
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
    const balanceOf = (account: keyof LedgerBalance) =>
      canonicalDecimal(rows.find(({ kind }) => kind === account)?.balance ?? '0');
    return { available: balanceOf('available'), held: balanceOf('held') };
  }
}
