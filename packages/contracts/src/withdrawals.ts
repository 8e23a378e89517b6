import { z } from 'zod';
import { decimal, decimalGiven } from './decimal.js';
import { idGiven, idOf } from './ids.js';
import { defineOperation, instant } from './operation.js';

export const WITHDRAWAL_STATUSES = ['PENDING', 'PROCESSING', 'COMPLETED', 'CANCELLED', 'FAILED'] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

export const withdrawal = z
  .object({
    id: idOf('wdr'),
    amount: decimal.describe('Taken from the balance, fee included; held until the withdrawal has ended.'),
    fee: decimal,
    net_amount: decimal.describe('What is paid out: amount less fee.'),
    currency: z.string().describe('The reward token.'),
    network: z.string().describe('The network it is paid out on.'),
    wallet_address: z.string().describe('As it was given.'),
    status: z
      .enum(WITHDRAWAL_STATUSES)
      .describe('PENDING until it is paid out or cancelled; CANCELLED and FAILED release what was held.'),
    status_reason: z
      .string()
      .optional()
      .describe(
        'Why it is in its status, in words. Says so while no payouts are made: it then stays PENDING.',
      ),
    tx_hash: z.string().optional().describe('The transaction on the network, once sent.'),
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

/** 20 bytes in hex. Whether mixed case is the address's checksum is judged where it is taken. */
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ZERO_ADDRESS = /^0x0{40}$/;

export const withdrawalCreate = z
  .strictObject({
    amount: decimalGiven('positive').describe('Reward tokens to withdraw, fee included; above the fee.'),
    wallet_address: z
      .string()
      .regex(ADDRESS, { error: 'Expected an EVM address: 0x and 40 hex digits.' })
      .refine((value) => !ZERO_ADDRESS.test(value), { error: 'Nobody holds the zero address.' })
      .describe('EVM address; in mixed case its EIP-55 checksum must be right.'),
  })
  .meta({ id: 'WithdrawalCreate' });
export type WithdrawalCreate = z.output<typeof withdrawalCreate>;

const path = z.object({ id: idGiven('wdr') });

export const withdrawalOperations = {
  list: defineOperation({
    id: 'withdrawals.list',
    method: 'GET',
    path: '/v1/withdrawals',
    summary: 'Your withdrawals of reward tokens.',
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
    summary: 'One withdrawal.',
    access: 'READ',
    params: path,
    response: withdrawal,
    status: 200,
    errors: ['not_found'],
  }),
  create: defineOperation({
    id: 'withdrawals.create',
    method: 'POST',
    path: '/v1/withdrawals',
    summary: 'Asks for a payout of reward tokens; the amount is held at once.',
    access: 'WITHDRAW',
    bucket: 'sensitive_writes',
    body: withdrawalCreate,
    response: withdrawal,
    status: 201,
    errors: ['insufficient_balance'],
  }),
  cancel: defineOperation({
    id: 'withdrawals.cancel',
    method: 'POST',
    path: '/v1/withdrawals/:id/cancel',
    summary: 'Cancels a withdrawal that is PENDING, and gives back what it held.',
    access: 'WITHDRAW',
    bucket: 'sensitive_writes',
    params: path,
    response: withdrawal,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
} as const;
