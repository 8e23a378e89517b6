import { insertRows } from './insert-rows.mjs';
import { TOKEN } from './ledger.mjs';
import { DAY_MS, HOUR_MS } from './market.mjs';
import { uuidOf } from './people.mjs';
import { instantOf } from './units.mjs';

/** @typedef {import('@trading-automation/sdk').Client} Api */

/** Addresses in lower case need no checksum. `age` is in days. */
const ADDRESSES = /** @type {const} */ ([
  {
    label: 'Hardware wallet',
    address: '0x52908400098527886e0f7030069857d2e4169ee7',
    age: 104,
    state: 'ACTIVE',
  },
  {
    label: 'Treasury multisig',
    address: '0x8617e340b3d01fa5f11f306f4090fd50e238070d',
    age: 66,
    state: 'ACTIVE',
  },
  { label: 'New exchange', address: '0xde709f2102306220921060314715629080e2fb77', age: 0.4, state: 'HELD' },
  { label: 'Accounting', address: '0x27b1fdb04752bbc536007a920d24acb045561c26', age: 0.1, state: 'PENDING' },
]);

/** `age` and `ended` are days before the end. */
const WITHDRAWALS = /** @type {const} */ ([
  { amount: '120', fee: '2', age: 81, ended: 80.8, status: 'COMPLETED', to: 0 },
  { amount: '350', fee: '2', age: 63, ended: 62.9, status: 'COMPLETED', to: 1 },
  { amount: '60', fee: '2', age: 40, ended: 39.98, status: 'CANCELLED', to: 0 },
  { amount: '90', fee: '2', age: 17, ended: 16.7, status: 'FAILED', to: 1 },
  { amount: '140', fee: '2', age: 1.2, ended: 0.9, status: 'PROCESSING', to: 1 },
]);
const PENDING_AMOUNT = '85';

/**
 * Creates the address book and a pending withdrawal through the API.
 *
 * @param {import('pg').Client} database
 * @param {{ demo: Api, end: number }} options
 */
export async function createAddressBook(database, { demo, end }) {
  for (const { label, address, age, state } of ADDRESSES) {
    const entry = await demo.withdrawalAddresses.create({ label, address });
    const at = end - age * DAY_MS;
    const confirmed = state === 'PENDING' ? null : instantOf(at + HOUR_MS / 4);
    const usable = state === 'PENDING' ? null : instantOf(at + DAY_MS);
    await database.query(SET_ADDRESS, [uuidOf('wad', entry.id), instantOf(at), confirmed, usable]);
  }
}

/** @param {Api} demo */
export async function requestWithdrawal(demo) {
  await demo.withdrawals.create({ amount: PENDING_AMOUNT, wallet_address: ADDRESSES[0].address });
}

const SET_ADDRESS = `
  UPDATE withdrawal_addresses SET created_at = $2, updated_at = coalesce($3::timestamptz, $2), confirmed_at = $3, usable_at = $4
  WHERE id = $1`;

/**
 * Writes the past withdrawals and returns their ledger entries. The caller holds a transaction.
 *
 * @param {import('pg').Client} database
 * @param {{ userId: string, end: number, random: import('./random.mjs').Random }} options
 * @returns {Promise<import('./ledger.mjs').Entry[]>}
 */
export async function writeWithdrawals(database, { userId, end, random }) {
  const rows = WITHDRAWALS.map(({ amount, fee, age, ended, status, to }) => {
    const at = end - age * DAY_MS;
    const endedAt = end - ended * DAY_MS;
    return {
      at,
      endedAt,
      row: {
        id: random.uuid(at),
        user_id: userId,
        amount,
        fee,
        ...TOKEN,
        wallet_address: ADDRESSES[to].address,
        status,
        cancelled_at: status === 'CANCELLED' ? instantOf(endedAt) : null,
        created_at: instantOf(at),
        updated_at: instantOf(endedAt),
      },
    };
  });
  await insertRows(
    database,
    'withdrawals',
    rows.map(({ row }) => row),
  );
  return rows.flatMap(({ row, at, endedAt }) => entriesOf(row, at, endedAt));
}

/**
 * A withdrawal holds its amount. A payout moves it out of the ledger, less the fee; every other end releases it.
 *
 * @param {{ id: string, amount: string, fee: string, status: string }} row
 * @param {number} at
 * @param {number} endedAt
 * @returns {import('./ledger.mjs').Entry[]}
 */
function entriesOf({ id, amount, fee, status }, at, endedAt) {
  const held = /** @type {const} */ ({
    fact: 'withdrawal.held',
    subjectId: id,
    from: 'available',
    to: 'held',
    amount,
    at,
  });
  const end = { subjectId: id, from: /** @type {const} */ ('held'), at: endedAt };
  if (status === 'CANCELLED' || status === 'FAILED')
    return [held, { ...end, fact: 'withdrawal.released', to: 'available', amount }];
  if (status !== 'COMPLETED') return [held];
  const net = String(Number(amount) - Number(fee));
  return [
    held,
    { ...end, fact: 'withdrawal.paid', to: 'issuance', amount: net },
    { ...end, fact: 'withdrawal.charged', to: 'fees', amount: fee },
  ];
}
