import { z } from 'zod';
import { decimal } from './decimal.js';
import { idInput, idOf } from './ids.js';
import { defineOperation, deletedOf, instant, nameText, text } from './operation.js';
import { UPDATE } from './optional-fields.js';

export const TRADING_TYPES = ['spot', 'margin', 'perpetual'] as const;
export type TradingType = (typeof TRADING_TYPES)[number];

/** `BETA`: proven by tests alone. `STABLE`: also by a run at the exchange. */
export const VENUE_STAGES = ['BETA', 'STABLE'] as const;
export type VenueStage = (typeof VENUE_STAGES)[number];

/** The form of the secret that an exchange issues with an API key. */
export const SECRET_KINDS = ['HMAC_SECRET', 'EC_PRIVATE_KEY'] as const;

/** Why an account is not active. */
export const INACTIVE_REASONS = ['CREDENTIALS', 'POSITION_MODE', 'PORTFOLIO_MARGIN', 'ACCOUNT_TYPE'] as const;
export type InactiveReason = (typeof INACTIVE_REASONS)[number];

const keyRight = z.boolean().nullable();

/** What an account holds and owes of one asset. */
export const assetBalance = z
  .object({
    total: decimal.describe('Free and used together, as in `balance`.'),
    free: decimal.describe('The total less what is used.'),
    used: decimal.describe("Locked by open orders, by the exchange's last report."),
    borrowed: decimal
      .optional()
      .describe(
        'Margin only: what the account has borrowed from the exchange. Omitted until it was read once. Exchanges that add interest to the loan report it here.',
      ),
    interest: decimal
      .optional()
      .describe(
        'Margin only: interest that was charged and is not paid yet. Omitted until it was read once.',
      ),
  })
  .meta({ id: 'AssetBalance' });
export type AssetBalance = z.output<typeof assetBalance>;

export const exchangeAccount = z
  .object({
    id: idOf('exa'),
    exchange_name: z.string().describe('Id of the exchange, as in the list of supported exchanges.'),
    account_name: z.string(),
    trading_type: z.enum(TRADING_TYPES),
    is_active: z
      .boolean()
      .describe('False if the account cannot trade, for the reason in `inactive_reason`.'),
    inactive_reason: z
      .enum(INACTIVE_REASONS)
      .nullable()
      .describe(
        'Why the account is not active. `CREDENTIALS`: the exchange rejected them. `POSITION_MODE`: the account is in hedge mode. `PORTFOLIO_MARGIN` and `ACCOUNT_TYPE`: the kind of the account is not supported. Null while it is active.',
      ),
    can_trade: keyRight.describe(
      'Whether the credentials can trade. Null if the exchange does not report it, or if it was not read yet. Read again each day.',
    ),
    can_withdraw: keyRight.describe(
      'True if the credentials can withdraw. Replace such credentials with ones that cannot. Null if the exchange does not report it. Read again each day.',
    ),
    balance: z.record(z.string(), decimal).describe('Total balance (free and locked) by asset.'),
    balance_detail: z
      .record(z.string(), assetBalance)
      .describe(
        'The parts of each balance, by asset; on margin also what the account owes. An asset that it only owes has a total of 0. Loans are read with the balances, as often as the rate limit of the exchange allows.',
      ),
    last_sync_at: instant
      .nullable()
      .describe(
        'When all balances were last read from the exchange; null before the first sync. While the account stream works, changes are applied as the exchange reports them, and all balances are read at least every 4 hours.',
      ),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'ExchangeAccount' });
export type ExchangeAccount = z.output<typeof exchangeAccount>;

const keyPermissions = z
  .object({
    trading_type: z.enum(TRADING_TYPES),
    needed: z.array(z.string()).describe('What the key must allow.'),
    refused: z.array(z.string()).describe('What the key must not allow, such as withdrawals.'),
    notes: z.array(z.string()).describe('What else to know when the key is created. Plain sentences.'),
  })
  .meta({ id: 'KeyPermissions' });

export const supportedExchange = z
  .object({
    id: z.string(),
    name: z.string(),
    trading_types: z.array(z.enum(TRADING_TYPES)).describe('The trading types that are proven and offered.'),
    stages: z
      .record(z.string(), z.enum(VENUE_STAGES))
      .describe(
        'The stage of each trading type. `BETA`: proven by tests alone. `STABLE`: also by a run at the exchange.',
      ),
    credentials: z
      .object({
        secret: z
          .enum(SECRET_KINDS)
          .describe('What `api_secret` is: a secret text, or an EC private key in PEM format.'),
        has_passphrase: z.boolean().describe('Whether the exchange needs `passphrase`.'),
        permissions: z
          .array(keyPermissions)
          .describe(
            'The permissions of a key for each trading type, as the exchange names them. Empty for an exchange without permissions, such as the paper exchange.',
          ),
      })
      .meta({ id: 'SupportedExchangeCredentials' })
      .describe('The credentials that the exchange issues.'),
    is_active: z.boolean(),
    created_at: instant,
  })
  .meta({ id: 'SupportedExchange' });
export type SupportedExchange = z.output<typeof supportedExchange>;

const exchangeCredentials = z
  .strictObject({
    api_key: text({ max: 1000 }),
    api_secret: text({ max: 10_000 }),
    passphrase: text({ max: 1000 }).optional(),
  })
  .meta({ id: 'ExchangeCredentials' });
export type ExchangeCredentials = z.output<typeof exchangeCredentials>;

const credentialsTestFields = {
  exchange: text({ max: 64 }).describe('Id of a supported exchange.'),
  trading_type: z.enum(TRADING_TYPES),
  credentials: exchangeCredentials,
};

export const exchangeAccountTest = z.strictObject(credentialsTestFields).meta({ id: 'ExchangeAccountTest' });
export type ExchangeAccountTest = z.output<typeof exchangeAccountTest>;

export const exchangeAccountCreate = z
  .strictObject({
    ...credentialsTestFields,
    account_name: nameText({ max: 100 }).describe('A label for the account.'),
    allow_withdraw_keys: z.boolean().default(false).describe('Accept credentials that can withdraw.'),
  })
  .meta({ id: 'ExchangeAccountCreate' });
export type ExchangeAccountCreate = z.output<typeof exchangeAccountCreate>;

export const exchangeAccountUpdate = z
  .strictObject({
    account_name: nameText({ max: 100 }).optional().describe('A label for the account.'),
    credentials: exchangeCredentials
      .optional()
      .describe(
        'New credentials for the same account at the exchange. They are tested before they are stored.',
      ),
    allow_withdraw_keys: z.boolean().default(false).describe('Accept credentials that can withdraw.'),
  })
  .meta({ id: 'ExchangeAccountUpdate', ...UPDATE });
export type ExchangeAccountUpdate = z.output<typeof exchangeAccountUpdate>;

export const credentialsTestResult = z
  .object({
    ok: z.literal(true),
    trading_types: z.array(z.enum(TRADING_TYPES)),
    can_trade: keyRight.describe('Null if the exchange does not report it.'),
    can_withdraw: keyRight.describe(
      'Null if the exchange does not report it; it then counts as true when an account is connected.',
    ),
  })
  .meta({ id: 'CredentialsTestResult' });
export type CredentialsTestResult = z.output<typeof credentialsTestResult>;

const pathParams = z.object({ id: idInput('exa') });
const venueErrors = ['exchange_credentials_rejected', 'exchange_unavailable', 'service_unavailable'] as const;

export const exchangeAccountOperations = {
  supported: defineOperation({
    id: 'supportedExchanges.list',
    method: 'GET',
    path: '/v1/supported-exchanges',
    summary: 'Lists the exchanges whose accounts you can connect.',
    access: 'PUBLIC',
    list: { sorts: ['created_at', 'name'], limitDefault: 20 },
    response: supportedExchange,
    status: 200,
    errors: [],
  }),
  list: defineOperation({
    id: 'exchanges.list',
    method: 'GET',
    path: '/v1/exchanges',
    summary: 'Lists your exchange accounts.',
    access: 'READ',
    list: { sorts: ['created_at', 'account_name', 'exchange_name'], limitDefault: 20 },
    response: exchangeAccount,
    status: 200,
    errors: [],
  }),
  get: defineOperation({
    id: 'exchanges.get',
    method: 'GET',
    path: '/v1/exchanges/:id',
    summary: 'Returns an exchange account.',
    access: 'READ',
    params: pathParams,
    response: exchangeAccount,
    status: 200,
    errors: ['not_found'],
  }),
  create: defineOperation({
    id: 'exchanges.create',
    method: 'POST',
    path: '/v1/exchanges',
    summary: 'Connects an exchange account. Its credentials are tested before they are stored.',
    access: 'TRADE',
    isRemote: true,
    body: exchangeAccountCreate,
    response: exchangeAccount,
    status: 201,
    errors: [...venueErrors, 'limit_reached'],
  }),
  update: defineOperation({
    id: 'exchanges.update',
    method: 'PATCH',
    path: '/v1/exchanges/:id',
    summary: 'Renames an exchange account or replaces its credentials. Its lots and copiers are unchanged.',
    access: 'TRADE',
    isRemote: true,
    params: pathParams,
    body: exchangeAccountUpdate,
    response: exchangeAccount,
    status: 200,
    errors: ['not_found', ...venueErrors],
  }),
  delete: defineOperation({
    id: 'exchanges.delete',
    method: 'DELETE',
    path: '/v1/exchanges/:id',
    summary: 'Deletes an exchange account on which no other record depends.',
    access: 'TRADE',
    params: pathParams,
    response: deletedOf(idOf('exa')),
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  test: defineOperation({
    id: 'exchanges.test',
    method: 'POST',
    path: '/v1/exchanges/test',
    summary: 'Tests exchange credentials without storing them.',
    access: 'TRADE',
    isRemote: true,
    bucket: 'exchange_tests',
    body: exchangeAccountTest,
    response: credentialsTestResult,
    status: 200,
    errors: venueErrors,
  }),
  sync: defineOperation({
    id: 'exchanges.sync',
    method: 'POST',
    path: '/v1/exchanges/:id/sync',
    summary: 'Starts a sync of the balances. The event `exchange.synced` reports its completion.',
    access: 'TRADE',
    params: pathParams,
    response: exchangeAccount,
    status: 202,
    errors: ['not_found', 'invalid_state'],
  }),
} as const;
