/**
 * Writes src/generated/fixtures.ts: a response of each operation and an event of each type, for tests without a server.
 *
 * 1. Records of events are the samples of the contract; all other records are defined here, or derived from the schema.
 * 2. Each record is validated against the schema of its operation. An invalid record fails the generator.
 * 3. Every decimal is passed to `decimal`, so that one set of records works for clients that read numbers or strings.
 *    Values that look like secrets are created at run time.
 */
import { writeFileSync } from 'node:fs';
import {
  deadLetterFailureOf,
  ERRORS,
  EVENT_DEFINITIONS,
  EVENT_TYPES,
  eventCatalogueEntries,
  eventDataOf,
  eventSampleText,
  jsonSchemaOf,
  OPERATIONS,
} from '@trading-automation/contracts';
import { exampleId } from '@trading-automation/contracts/samples';
import { exampleOfSchema } from './example-of-schema.mjs';

/** @typedef {{ readonly [keyword: string]: any }} Schema */
/** @typedef {import('@trading-automation/contracts').EventType} EventType */

const HEADER = '// Written by scripts/fixtures.mjs from the contracts: run `npm run generate`, never edit.\n';

/** A value that the generated file computes with the expression `text`. */
class Code {
  /** @param {string} text @param {string} example a valid value */
  constructor(text, example) {
    this.text = text;
    this.example = example;
  }
}

const [AT, EARLIER, LONG_BEFORE] = [
  '2026-01-31T12:00:00.000Z',
  '2026-01-31T11:59:30.000Z',
  '2026-01-12T08:30:00.000Z',
];
const timestamps = { created_at: EARLIER, updated_at: AT };

/** @param {EventType} type @returns {any} */
const sampleRecord = (type) => JSON.parse(eventSampleText(type)).data;
const event = JSON.parse(eventSampleText('trade.filled'));

/** @param {EventType} type @param {readonly any[]} fills */
const trade = (type, fills = []) => ({ ...sampleRecord(type), fills });
const fill = (
  /** @type {number} */ index,
  /** @type {string} */ price,
  /** @type {string} */ amount,
  /** @type {string} */ fee,
) => ({
  id: exampleId('fil'),
  exchange_fill_id: `55010${index}`,
  price,
  amount,
  fee: { amount: fee, currency: 'USDT' },
  fee_value: fee,
  liquidity: 'TAKER',
  executed_at: AT,
});
const lot = {
  id: exampleId('lot'),
  exchange_account_id: exampleId('exa'),
  trade_pair_id: exampleId('tpr'),
  symbol: 'BTC/USDT',
  trading_type: 'spot',
  trade_id: exampleId('trd'),
  side: 'BUY',
  status: 'OPEN',
  amount: '0.1',
  remaining_amount: '0.05',
  entry_price: '60000.4',
  cost: '6006.04004',
  remaining_cost: '3003.02002',
  fees: '9.00007',
  fees_incomplete: false,
  realized_pnl: '16.98',
  unrealized_pnl: '21.98',
  funding: '0',
  is_detached: true,
  opened_at: AT,
  created_at: AT,
};
const fills = [fill(1, '60000.4', '0.1', '6.00004'), fill(2, '60000.4666', '0.15', '9.00007')];

const { started_at: _started, ...pausedCopier } = { ...sampleRecord('copier.started'), status: 'PAUSED' };
const apiKey = sampleRecord('key.created');
const apiKeyWithValue = { ...apiKey, key: new Code('secrets.apiKey', 'svc_test_0') };
const publicKey = sampleRecord('public_key.linked');
const webhook = sampleRecord('webhook.test');
const webhookWithSecret = { ...webhook, secret: new Code('secrets.webhook', 'whsec_0') };

const me = {
  id: exampleId('usr'),
  email: 'trader@example.com',
  email_verified: true,
  created_at: LONG_BEFORE,
  credential: { kind: 'api_key', id: exampleId('key'), permissions: ['ADMIN'] },
  world: 'test',
};
const pair = {
  id: exampleId('tpr'),
  exchange: 'paper',
  symbol: 'BTC/USDT',
  exchange_symbol: 'BTCUSDT',
  base: 'BTC',
  quote: 'USDT',
  trading_type: 'spot',
  price_tick: '0.01',
  amount_step: '0.00001',
  min_amount: '0.00001',
  max_amount: '9000',
  min_notional: '5',
  maker_fee: '0.001',
  taker_fee: '0.001',
  order_types: ['LIMIT', 'MARKET'],
  time_in_forces: ['GTC', 'IOC', 'FOK'],
  is_active: true,
  rules_updated_at: AT,
  created_at: LONG_BEFORE,
  updated_at: AT,
};
const quotedPair = { trade_pair_id: pair.id, exchange: pair.exchange, symbol: pair.symbol };
const MARKET_DATA = {
  'tradePairs.ticker': {
    ...quotedPair,
    last: '60000.4',
    bid: '60000.2',
    ask: '60000.6',
    open: '59100',
    high: '60480.5',
    low: '58950',
    change_percent: '1.52',
    volume: '812.35',
    quote_volume: '48541012.4',
    as_of: AT,
  },
  'tradePairs.candles': {
    ...quotedPair,
    interval: '1h',
    candles: [
      { at: EARLIER, open: '59900', high: '60050.5', low: '59880', close: '60000.4', volume: '12.5' },
    ],
    as_of: AT,
  },
  'tradePairs.orderBook': {
    ...quotedPair,
    bids: [
      ['60000.2', '0.5'],
      ['60000', '1.25'],
    ],
    asks: [
      ['60000.6', '0.3'],
      ['60000.8', '2'],
    ],
    as_of: AT,
  },
};
const signIn = {
  user_code: 'BCDF-GHJK',
  client_name: 'Firefox on Linux',
  address: '203.0.113.7',
  permissions: ['READ', 'TRADE'],
  status: 'PENDING',
  created_at: EARLIER,
  expires_at: AT,
};
const session = {
  id: exampleId('pbk'),
  user_id: exampleId('usr'),
  client_name: signIn.client_name,
  address: signIn.address,
  permissions: signIn.permissions,
  approved_by: { kind: 'public_key', id: exampleId('pbk') },
  approved_at: EARLIER,
  last_used_at: EARLIER,
  idle_at: AT,
  expires_at: AT,
  created_at: EARLIER,
};
const SESSIONS = {
  'deviceAuthorizations.create': {
    device_code: 'device-code',
    user_code: signIn.user_code,
    expires_at: AT,
    interval: 5,
  },
  'deviceAuthorizations.get': signIn,
  'deviceAuthorizations.approve': session,
  'deviceAuthorizations.deny': { ...signIn, status: 'DENIED' },
  'deviceAuthorizations.token': {
    public_key_id: session.id,
    user_id: session.user_id,
    permissions: session.permissions,
    expires_at: session.expires_at,
  },
  'browserSessions.create': session,
  'browserSessions.list': session,
};
const strategy = {
  id: exampleId('str'),
  name: 'Dip buyer',
  description: 'Buys after a fall of more than 3 % and sells when the price recovers.',
  exchange_account_id: exampleId('exa'),
  trade_pair_ids: [exampleId('tpr')],
  visibility: 'PUBLIC',
  status: 'ACTIVE',
  copier_count: 3,
  allow_multiplier: false,
  performance: {
    since: LONG_BEFORE,
    closed_count: 41,
    win_rate: '0.61',
    profit_factor: '1.62',
    roi: '0.0365',
    max_drawdown_percent: '2.4',
    sharpe: '1.9',
    low_sample: false,
    fees_incomplete: false,
    copier_roi: '0.021',
    curve: [
      { at: LONG_BEFORE, index: '100' },
      { at: AT, index: '103.65' },
    ],
    net_pnl: '364.8',
    unrealized_pnl: '12.2',
    equity: '10377',
    sortino: '2.8',
    realized_roi: '0.0352',
    realized_max_drawdown_percent: '1.8',
    realized_sharpe: '2',
    realized_sortino: '3.1',
    copier_net_pnl: '182.4',
  },
  created_at: LONG_BEFORE,
  updated_at: AT,
};
const decision = sampleRecord('copier.trade_skipped');
const simulation = {
  from: LONG_BEFORE,
  to: AT,
  signal_count: 1,
  left_out_count: 0,
  decisions: [
    {
      signal_id: decision.signal_id,
      sequence: decision.sequence,
      source_trade_id: decision.source_trade_id,
      symbol: decision.symbol,
      kind: decision.kind,
      code: decision.code,
      inputs: decision.inputs,
      target_amount: decision.target_amount,
      sent_amount: decision.sent_amount,
      outcome: 'SKIPPED',
      signal_at: EARLIER,
    },
  ],
  truncated: false,
  copied: 0,
  clamped: 0,
  skipped: 1,
  skipped_by_reason: { BELOW_MINIMUM: 1 },
  currency: 'USDT',
  starting_equity: '10000',
  fees: '0',
  net_pnl: '0',
  funding: '0',
  tracking_difference_bps: null,
};
const notification = {
  id: exampleId('ntf'),
  kind: 'trade.filled',
  severity: 'INFO',
  title: 'BTC/USDT: order filled',
  body: 'Bought 0.25 at 60000.44.',
  data: { resource: 'trade', id: exampleId('trd') },
  is_read: false,
  created_at: AT,
};
const setting = { key: 'dashboard.theme', value: 'dark', ...timestamps, is_default: false };
const rewardType = {
  id: exampleId('rwt'),
  code: 'first_trade',
  name: 'First trade',
  description: 'Granted for the first trade of an account.',
  rule: { basis: 'FLAT', rate: '25' },
  is_active: true,
  created_at: LONG_BEFORE,
  updated_at: LONG_BEFORE,
};
const exchange = {
  id: 'paper',
  name: 'Paper exchange',
  trading_types: ['spot'],
  stages: { spot: 'STABLE' },
  credentials: { secret: 'HMAC_SECRET', has_passphrase: false, permissions: [] },
  is_active: true,
  created_at: LONG_BEFORE,
};
const performance = {
  currency: 'USDT',
  trade_count: 5,
  closed_count: 4,
  winning_count: 3,
  losing_count: 1,
  win_rate: '0.75',
  net_pnl: '289.5',
  fees: '60.2',
  volume: '60200',
};
const analytics = {
  from: LONG_BEFORE,
  to: AT,
  excluded_quotes: [],
  ...performance,
  profit_factor: '13.0625',
  expectancy: '72.375',
  expectancy_ratio: '3.015625',
  gross_profit: '313.5',
  gross_loss: '24',
  partial_pnl: '0',
  fees_by_currency: [{ amount: '60.2', currency: 'USDT' }],
  fees_incomplete: false,
  funding: '0',
  unrealized_pnl: '0',
  equity: '10289.5',
  roi: '0.02895',
  realized_roi: '0.02895',
  average_win: '104.5',
  average_loss: '24',
  best_trade: { trade_id: exampleId('trd'), net_pnl: '312.9' },
  worst_trade: { trade_id: exampleId('trd'), net_pnl: '-24' },
  average_holding_seconds: '5400',
  max_consecutive_losses: 1,
  max_drawdown: {
    amount: '24',
    percent: '0.24',
    peak_at: LONG_BEFORE,
    trough_at: EARLIER,
    recovered_at: AT,
  },
  realized_max_drawdown: {
    amount: '24',
    percent: '0.24',
    peak_at: LONG_BEFORE,
    trough_at: EARLIER,
    recovered_at: AT,
  },
  sharpe: '1.9',
  sortino: null,
  realized_sharpe: '1.9',
  realized_sortino: null,
  calmar: null,
  sample_days: 20,
  low_sample: true,
  unmatched_fill_count: 0,
  by_status: { PENDING: 1, FILLED: 4, PARTIALLY_FILLED: 0, CANCELLED: 0, FAILED: 0 },
  by_pair: [{ trade_pair_id: exampleId('tpr'), symbol: 'BTC/USDT', trading_type: 'spot', ...performance }],
  by_strategy: [{ strategy_id: exampleId('str'), ...performance }],
  equity_curve: [
    { at: LONG_BEFORE, equity: '10289.5', net_pnl: '289.5', period_pnl: '289.5', drawdown: '0' },
  ],
};
const delivery = {
  id: exampleId('dlv'),
  event_id: exampleId('evt'),
  event_type: 'webhook.test',
  run: 0,
  attempt: 1,
  status: 'SUCCEEDED',
  status_code: 204,
  request_headers: [
    { name: 'content-type', value: 'application/json' },
    { name: 'webhook-id', value: exampleId('evt') },
    { name: 'webhook-signature', value: 'v1,…' },
  ],
  response_time_ms: 12,
  response_body: null,
  attempted_at: AT,
  created_at: AT,
};
const deadLetter = {
  id: exampleId('dlq'),
  event_id: exampleId('evt'),
  event_type: 'trade.filled',
  run: 0,
  status: 'PENDING',
  attempts: 5,
  last_status_code: 500,
  ...deadLetterFailureOf('http_status'),
  ...timestamps,
};
const retried = { ...deadLetter, status: 'RETRIED', resolved_at: AT, payload: event };
const filledEventType = eventCatalogueEntries().find(({ type }) => type === 'trade.filled');
const deleted = (/** @type {Parameters<typeof exampleId>[0]} */ prefix) => ({
  id: exampleId(prefix),
  deleted: true,
});

/** `data` of each operation's response; for a list, one item. @type {Readonly<Record<string, any>>} */
const RESPONSE_DATA = {
  ...MARKET_DATA,
  ...SESSIONS,
  'health.get': { status: 'ok' },
  'health.detailed': { status: 'ok', services: { database: { status: 'ok', age_ms: 120 } } },
  'version.get': { version: '1.0.0', commit: '0000000', api: 'v1', world: 'test' },
  'me.get': me,
  'me.update': { ...me, email_verified: false },
  'auth.verifyEmail': { email_verified: true },
  'auth.cliChallenge': { challenge: '0'.repeat(64), expires_at: AT },
  'auth.cliIdentity': publicKey,
  'apiKeys.list': apiKey,
  'apiKeys.create': apiKeyWithValue,
  'apiKeys.revoke': deleted('key'),
  'apiKeys.rotate': apiKeyWithValue,
  'publicKeys.list': publicKey,
  'publicKeys.revoke': deleted('pbk'),
  'supportedExchanges.list': exchange,
  'exchanges.list': sampleRecord('exchange.synced'),
  'exchanges.get': sampleRecord('exchange.synced'),
  'exchanges.create': {
    ...sampleRecord('exchange.synced'),
    balance: {},
    balance_detail: {},
    last_sync_at: null,
  },
  'exchanges.update': sampleRecord('exchange.synced'),
  'exchanges.delete': deleted('exa'),
  'exchanges.test': { ok: true, trading_types: ['spot'], can_trade: true, can_withdraw: false },
  'exchanges.sync': sampleRecord('exchange.synced'),
  'tradePairs.list': pair,
  'tradePairs.get': pair,
  'trades.list': sampleRecord('trade.filled'),
  'trades.get': trade('trade.filled', fills),
  'trades.create': trade('trade.created'),
  'trades.cancel': trade('trade.cancelled', fills.slice(0, 1)),
  'trades.analytics': analytics,
  'lots.list': lot,
  'lots.get': lot,
  'lots.close': { ...trade('trade.created'), type: 'MARKET', side: 'SELL', closes_lot_id: lot.id },
  'positions.list': sampleRecord('position.changed'),
  'positions.setLeverage': {
    exchange_account_id: exampleId('exa'),
    trade_pair_id: exampleId('tpr'),
    symbol: 'BTC/USDT:USDT',
    leverage: '10',
    margin_mode: 'CROSS',
    max_leverage: '125',
  },
  'rewards.list': sampleRecord('reward.granted'),
  'rewards.types': rewardType,
  'rewards.balance': { currency: 'SVC-TEST', available: '25', held: '0' },
  'rewards.claim': sampleRecord('reward.claimed'),
  'withdrawals.list': sampleRecord('withdrawal.completed'),
  'withdrawals.get': sampleRecord('withdrawal.completed'),
  'withdrawals.create': sampleRecord('withdrawal.created'),
  'withdrawals.cancel': sampleRecord('withdrawal.cancelled'),
  'strategies.list': strategy,
  'strategies.get': strategy,
  'strategies.create': strategy,
  'strategies.update': strategy,
  'strategies.delete': deleted('str'),
  'strategies.linkCopiers': strategy,
  'copiers.list': sampleRecord('copier.started'),
  'copiers.get': sampleRecord('copier.started'),
  'copiers.create': pausedCopier,
  'copiers.update': sampleRecord('copier.started'),
  'copiers.delete': deleted('cpr'),
  'copiers.start': sampleRecord('copier.started'),
  'copiers.stop': sampleRecord('copier.stopped'),
  'copiers.decisions': decision,
  'copiers.simulate': simulation,
  'notifications.list': notification,
  'notifications.count': { unread: 1 },
  'notifications.read': { ...notification, is_read: true, read_at: AT },
  'notifications.readAll': { updated: 1 },
  'notifications.delete': deleted('ntf'),
  'settings.list': setting,
  'settings.get': setting,
  'settings.put': setting,
  'settings.delete': { key: setting.key, deleted: true },
  'emergencyStop.run': {
    paused_copiers: [{ ...pausedCopier, status_reason: 'USER', stopped_at: AT }],
    open_lots: sampleRecord('copier.stopped').open_lots,
    closing: [],
    cancelled: [sampleRecord('trade.cancelled')],
    ended_otherwise: [],
    still_open: [],
  },
  'events.list': event,
  'events.stream': event,
  'events.types': {
    types: [filledEventType === undefined ? undefined : { ...filledEventType, sample: event }],
  },
  'events.get': event,
  'webhooks.create': webhookWithSecret,
  'webhooks.list': webhook,
  'webhooks.get': webhook,
  'webhooks.update': webhook,
  'webhooks.delete': deleted('whk'),
  'webhooks.rotateSecret': webhookWithSecret,
  'webhooks.deliveries': delivery,
  'webhooks.test': delivery,
  'webhooks.replay': { event_id: exampleId('evt'), event_type: 'trade.filled', run: 1 },
  'deadLetters.list': deadLetter,
  'deadLetters.stats': { pending: 1, retried: 0, discarded: 0 },
  'deadLetters.get': { ...deadLetter, payload: event },
  'deadLetters.retry': retried,
  'deadLetters.retryMany': { retried: 1, has_more: false },
  'deadLetters.discard': deleted('dlq'),
};

/** @type {Record<string, Schema>} */
const definitions = {};

/** @param {any} type a schema of the contract @returns {Schema} */
function schemaOf(type) {
  const converted = jsonSchemaOf(type, 'output');
  Object.assign(definitions, converted.definitions);
  return converted.root;
}

/**
 * Resolves references and unions of a schema for a value.
 * @param {Schema | undefined} declared @param {any} value @returns {Schema}
 */
function schemaFor(declared, value) {
  if (declared === undefined || declared.$ref === '#/$defs/Decimal') return declared ?? {};
  // The event type determines the schema of `data`.
  if (declared.$ref === '#/$defs/Event') return { properties: { data: schemaOf(eventDataOf(value.type)) } };
  if (typeof declared.$ref === 'string')
    return schemaFor(definitions[declared.$ref.slice('#/$defs/'.length)], value);
  const options = declared.anyOf ?? declared.oneOf;
  if (options === undefined) return declared;
  const matching = options
    .map((/** @type {Schema} */ option) => schemaFor(option, value))
    .filter((/** @type {Schema} */ option) => (option.type === 'null') === (value === null));
  return matching.length === 1 ? matching[0] : {};
}

/**
 * Returns `code`, an expression that creates the value, and `plain`, the value as the API returns it with decimals as
 * strings.
 * @param {any} value @param {Schema | undefined} declared @returns {{ code: string, plain: any }}
 */
function write(value, declared) {
  if (value instanceof Code) return { code: value.text, plain: value.example };
  const schema = schemaFor(declared, value);
  if (schema.$ref === '#/$defs/Decimal') return { code: `decimal('${value}')`, plain: String(value) };
  if (typeof value !== 'object' || value === null) return { code: JSON.stringify(value), plain: value };
  if (Array.isArray(value)) {
    const items = value.map((item) => write(item, schema.items));
    return { code: `[${items.map(({ code }) => code).join(', ')}]`, plain: items.map(({ plain }) => plain) };
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => {
      const { additionalProperties: other } = schema;
      const otherSchema = typeof other === 'object' ? other : undefined;
      return { name, ...write(member, schema.properties?.[name] ?? otherSchema) };
    });
  return {
    code: `{ ${members.map(({ name, code }) => `${JSON.stringify(name)}: ${code}`).join(', ')} }`,
    plain: Object.fromEntries(members.map(({ name, plain }) => [name, plain])),
  };
}

/** @param {string} name @param {any} type a schema of the contract @param {any} value */
function fixtureEntry(name, type, value) {
  const { code, plain } = write(value, schemaOf(type));
  const { error } = type.safeParse(plain);
  if (error !== undefined)
    throw new Error(
      `The fixture of ${name} is invalid: ${JSON.stringify(error.issues)}. Write one in scripts/fixtures.mjs.`,
    );
  return `'${name}': ${code},`;
}

/** @param {any} response */
function derivedData(response) {
  const { root, definitions: named } = jsonSchemaOf(response, 'output');
  return exampleOfSchema(root, named);
}

const fixtures = OPERATIONS.map(({ id, response }) =>
  fixtureEntry(id, response, RESPONSE_DATA[id] ?? derivedData(response)),
);
const events = EVENT_TYPES.map((type) =>
  fixtureEntry(type, EVENT_DEFINITIONS[type].recordSchemas[0], sampleRecord(type)),
);
const errorEntries = Object.entries(ERRORS).map(
  ([code, { status, meaning }]) => `${code}: [${status}, ${JSON.stringify(meaning)}],`,
);

writeFileSync(
  new URL('../src/generated/fixtures.ts', import.meta.url),
  `${HEADER}import type { DecimalForm, DecimalOf } from '../core/decimals.js';
import type { EventData, OperationTypes } from './records.js';

/** Time of the last change of the records, and the default timestamp of an event. */
export const FIXTURE_AT = '${AT}';
/** Default id of an event. */
export const FIXTURE_EVENT_ID = '${exampleId('evt')}';

/** Values of responses that look like secrets. */
export interface FixtureSecrets {
  readonly apiKey: string;
  readonly webhook: string;
}

type Fixtures<D extends DecimalForm> = { readonly [Id in keyof OperationTypes]: OperationTypes<D>[Id]['data'] };

/** \`data\` of a response of each operation; for a list, one item. */
export function fixturesOf<D extends DecimalForm>(decimal: (text: string) => DecimalOf<D>, secrets: FixtureSecrets): Fixtures<D> {
  return { ${fixtures.join('\n')} };
}

/** The record of an event of each type. */
export function eventDataOf<D extends DecimalForm>(decimal: (text: string) => DecimalOf<D>): EventData<D> {
  return { ${events.join('\n')} };
}

/** The HTTP status and the default message of each error code. */
export const ERRORS_BY_CODE = { ${errorEntries.join('\n')} } as const;
`,
);
