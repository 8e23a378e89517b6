import { z } from 'zod';
import { decimal, decimalInput } from './decimal.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, instant } from './operation.js';

export const WITHDRAWAL_STATUSES = ['PENDING', 'PROCESSING', 'COMPLETED', 'CANCELLED', 'FAILED'] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

export const withdrawal = z
  .object({
    id: idOf('wdr'),
    amount: decimal.describe(
      'Amount taken from the balance, including the fee. It is held until the withdrawal ends.',
    ),
    fee: decimal,
    net_amount: decimal.describe('Amount paid out: amount less fee.'),
    currency: z.string().describe('The reward token.'),
    network: z.string().describe('The network of the payout.'),
    wallet_address: z.string().describe('The address as you sent it.'),
    status: z
      .enum(WITHDRAWAL_STATUSES)
      .describe(
        'PENDING until the payout starts or the withdrawal is cancelled. CANCELLED and FAILED release the held amount.',
      ),
    status_reason: z
      .string()
      .optional()
      .describe(
        'Reason for the status, as a sentence, for example why the payout of a PENDING withdrawal has not started.',
      ),
    tx_hash: z
      .string()
      .optional()
      .describe('Hash of the transaction on the network. Absent before it is sent.'),
    confirmations: z.number().int().nonnegative().optional(),
    failure: z.object({ code: z.string(), message: z.string() }).optional(),
    requested_at: instant,
    processed_at: instant.optional(),
    completed_at: instant.optional(),
    cancelled_at: instant.optional(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Withdrawal' });
export type Withdrawal = z.output<typeof withdrawal>;

/** 20 bytes in hex. Creating the withdrawal verifies the EIP-55 checksum of an address in mixed case. */
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Schema of an EVM address in a request. */
export const walletAddressInput = z
  .string()
  .regex(ADDRESS, { error: 'Expected an EVM address: 0x and 40 hex digits.' });

export const withdrawalCreate = z
  .strictObject({
    amount: decimalInput('positive').describe(
      'Amount of reward tokens to withdraw, including the fee. It must be greater than the fee.',
    ),
    wallet_address: walletAddressInput.describe(
      'EVM address. If it mixes upper and lower case, its EIP-55 checksum must be valid. In the live world it must be an ACTIVE withdrawal address.',
    ),
  })
  .meta({ id: 'WithdrawalCreate' });
export type WithdrawalCreate = z.output<typeof withdrawalCreate>;

const pathParams = z.object({ id: idInput('wdr') });

export const withdrawalOperations = {
  list: defineOperation({
    id: 'withdrawals.list',
    method: 'GET',
    path: '/v1/withdrawals',
    summary: 'Lists your withdrawals of reward tokens.',
    access: 'READ',
    query: z.strictObject({ status: z.enum(WITHDRAWAL_STATUSES).optional() }),
    list: { sorts: ['created_at', 'amount', 'updated_at'], limitDefault: 20 },
    response: withdrawal,
    status: 200,
    errors: [],
  }),
  get: defineOperation({
    id: 'withdrawals.get',
    method: 'GET',
    path: '/v1/withdrawals/:id',
    summary: 'Returns a withdrawal.',
    access: 'READ',
    params: pathParams,
    response: withdrawal,
    status: 200,
    errors: ['not_found'],
  }),
  create: defineOperation({
    id: 'withdrawals.create',
    method: 'POST',
    path: '/v1/withdrawals',
    summary: 'Requests a payout of reward tokens. The amount is held immediately.',
    access: 'WITHDRAW',
    bucket: 'sensitive_writes',
    body: withdrawalCreate,
    response: withdrawal,
    status: 201,
    errors: ['insufficient_balance', 'limit_reached', 'invalid_state'],
  }),
  cancel: defineOperation({
    id: 'withdrawals.cancel',
    method: 'POST',
    path: '/v1/withdrawals/:id/cancel',
    summary: 'Cancels a PENDING withdrawal and releases its amount.',
    access: 'WITHDRAW',
    bucket: 'sensitive_writes',
    params: pathParams,
    response: withdrawal,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
} as const;
