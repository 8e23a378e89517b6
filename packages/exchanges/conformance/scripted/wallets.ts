/** Balances of the scripted exchange: free, locked by open orders, and borrowed. */
import { type Account, type Exact, exact, Refusal, type Wallet } from './model.js';

/** What an account may borrow of each asset. */
const BORROW_LIMIT = exact(1_000_000);

export function walletOf(account: Account, asset: string): Wallet {
  const existing = account.wallets.get(asset);
  if (existing !== undefined) return existing;
  const wallet = { free: exact(0), locked: exact(0), borrowed: exact(0), interest: exact(0) };
  account.wallets.set(asset, wallet);
  return wallet;
}

/**
 * Locks an amount of the free balance.
 * @param borrows whether the exchange lends what is missing
 */
export function lock(account: Account, asset: string, amount: Exact, borrows: boolean): void {
  const wallet = walletOf(account, asset);
  const missing = amount.minus(wallet.free);
  if (missing.gt(0)) {
    if (!borrows) throw new Refusal('INSUFFICIENT_BALANCE');
    if (wallet.borrowed.plus(missing).gt(BORROW_LIMIT)) throw new Refusal('BORROW_LIMIT');
    wallet.borrowed = wallet.borrowed.plus(missing);
    wallet.free = wallet.free.plus(missing);
  }
  wallet.free = wallet.free.minus(amount);
  wallet.locked = wallet.locked.plus(amount);
}

export function unlock(account: Account, asset: string, amount: Exact): void {
  const wallet = walletOf(account, asset);
  wallet.locked = wallet.locked.minus(amount);
  wallet.free = wallet.free.plus(amount);
}

/** Takes an amount that an order had locked. */
export function spendLocked(account: Account, asset: string, amount: Exact): void {
  const wallet = walletOf(account, asset);
  wallet.locked = wallet.locked.minus(amount);
}

export function credit(account: Account, asset: string, amount: Exact): void {
  const wallet = walletOf(account, asset);
  wallet.free = wallet.free.plus(amount);
}

/** Takes an amount from the free balance; the exchange lends what is missing. */
export function deduct(account: Account, asset: string, amount: Exact): void {
  const wallet = walletOf(account, asset);
  const taken = wallet.free.lt(amount) ? wallet.free : amount;
  wallet.free = wallet.free.minus(taken);
  wallet.borrowed = wallet.borrowed.plus(amount.minus(taken));
}

/** Uses the free balance to pay interest, then the loan. */
export function repay(account: Account, asset: string): void {
  const wallet = walletOf(account, asset);
  for (const debt of ['interest', 'borrowed'] as const) {
    const paid = wallet[debt].lt(wallet.free) ? wallet[debt] : wallet.free;
    if (paid.lte(0)) continue;
    wallet[debt] = wallet[debt].minus(paid);
    wallet.free = wallet.free.minus(paid);
  }
}
