import { z } from 'zod';
import { idInput, idOf } from './ids.js';
import { defineOperation, deletedOf, instant, nameText } from './operation.js';
import { walletAddressInput } from './withdrawals.js';

export const WITHDRAWAL_ADDRESS_STATUSES = ['PENDING', 'HELD', 'ACTIVE'] as const;
export type WithdrawalAddressStatus = (typeof WITHDRAWAL_ADDRESS_STATUSES)[number];

export const withdrawalAddress = z
  .object({
    id: idOf('wad'),
    address: z.string().describe('The address as you sent it.'),
    label: z.string().optional(),
    status: z
      .enum(WITHDRAWAL_ADDRESS_STATUSES)
      .describe(
        'PENDING until you confirm the address by the link in the mail. Then HELD until `usable_at`, and ACTIVE from then on.',
      ),
    usable_at: instant.optional().describe('When the address becomes ACTIVE. Absent while it is PENDING.'),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'WithdrawalAddress' });
export type WithdrawalAddress = z.output<typeof withdrawalAddress>;

export const withdrawalAddressCreate = z
  .strictObject({
    address: walletAddressInput.describe(
      'EVM address. If it mixes upper and lower case, its EIP-55 checksum must be valid.',
    ),
    label: nameText({ max: 100 }).optional().describe('A name for the address, shown in the mail.'),
  })
  .meta({ id: 'WithdrawalAddressCreate' });
export type WithdrawalAddressCreate = z.output<typeof withdrawalAddressCreate>;

const pathParams = z.object({ id: idInput('wad') });

export const withdrawalAddressOperations = {
  list: defineOperation({
    id: 'withdrawalAddresses.list',
    method: 'GET',
    path: '/v1/withdrawal-addresses',
    summary: 'Lists the addresses that you can withdraw to.',
    access: 'WITHDRAW',
    list: { sorts: ['created_at'], limitDefault: 20 },
    response: withdrawalAddress,
    status: 200,
    errors: [],
  }),
  get: defineOperation({
    id: 'withdrawalAddresses.get',
    method: 'GET',
    path: '/v1/withdrawal-addresses/:id',
    summary: 'Returns a withdrawal address.',
    access: 'WITHDRAW',
    params: pathParams,
    response: withdrawalAddress,
    status: 200,
    errors: ['not_found'],
  }),
  create: defineOperation({
    id: 'withdrawalAddresses.create',
    method: 'POST',
    path: '/v1/withdrawal-addresses',
    summary:
      'Adds a withdrawal address and mails a link that confirms it, valid for 24 hours. You may have 20 addresses.',
    access: 'WITHDRAW',
    bucket: 'sensitive_writes',
    body: withdrawalAddressCreate,
    response: withdrawalAddress,
    status: 201,
    errors: ['already_exists', 'limit_reached', 'invalid_state'],
  }),
  delete: defineOperation({
    id: 'withdrawalAddresses.delete',
    method: 'DELETE',
    path: '/v1/withdrawal-addresses/:id',
    summary:
      'Deletes a withdrawal address. In the live world, PENDING withdrawals to it fail when their payout begins.',
    access: 'WITHDRAW',
    bucket: 'sensitive_writes',
    params: pathParams,
    response: deletedOf(idOf('wad')),
    status: 200,
    errors: ['not_found'],
  }),
} as const;
