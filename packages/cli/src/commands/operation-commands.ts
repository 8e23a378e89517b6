/**
 * The commands that call one operation each. An operation has a row here only if its command differs from the derived
 * one (`derived-commands.ts`). {@link CUSTOM_COMMAND_OF} lists the operations with a hand-written command.
 */
import { OPERATIONS, type OperationId } from '../generated/operations.js';
import { withDerivedCommands } from './derived-commands.js';
import type { OperationCommand } from './operation-command.js';

const ACCOUNT = 'exa_01k9y3wq8ge0t8p8bf1mq93h57';
const PAIR = 'tpr_01k9y3wq8ge128p8bf1mq93h57';
const LOT = 'lot_01k9y3wq8ge1j8p8bf1mq93h57';
const STRATEGY = 'str_01k9y3wq8ge1a8p8bf1mq93h57';
const COPIER = 'cpr_01k9y3wq8ge1j8p8bf1mq93h57';
const WEBHOOK = 'whk_01k9y3wq8ge3a8p8bf1mq93h57';
const DEAD_LETTER = 'dlq_01k9y3wq8ge428p8bf1mq93h57';
const EVENT = 'evt_01k9y3wq8ge3j8p8bf1mq93h57';
const NOTIFICATION = 'ntf_01k9y3wq8ge328p8bf1mq93h57';
const API_KEY = 'key_01k9y3wq8ge0a8p8bf1mq93h57';
const PUBLIC_KEY = 'pbk_01k9y3wq8ge0j8p8bf1mq93h57';

const ROWS: readonly OperationCommand[] = [
  {
    command: 'supported-exchanges',
    operation: 'supportedExchanges.list',
    columns: ['id', 'name', 'trading_types', 'is_active'],
    examples: ['svc supported-exchanges'],
  },
  {
    command: 'exchanges list',
    operation: 'exchanges.list',
    columns: [
      'id',
      ['account_name', 'name'],
      ['exchange_name', 'exchange'],
      'trading_type',
      'is_active',
      'last_sync_at',
    ],
    examples: ['svc exchanges list', 'svc exchanges list --json id,account_name,balance'],
  },
  {
    command: 'exchanges get',
    operation: 'exchanges.get',
    examples: [`svc exchanges get ${ACCOUNT}`, `svc exchanges get ${ACCOUNT} --jq .balance_detail`],
  },
  {
    command: 'exchanges add',
    operation: 'exchanges.create',
    exchangeCredentials: 'required',
    examples: [
      'svc exchanges add --exchange paper --trading-type spot --account-name practice',
      'svc exchanges add --exchange paper --trading-type spot --account-name practice --credentials-file keys.json',
    ],
  },
  {
    command: 'exchanges update',
    operation: 'exchanges.update',
    exchangeCredentials: 'optional',
    examples: [
      `svc exchanges update ${ACCOUNT} --account-name main`,
      `svc exchanges update ${ACCOUNT} --credentials`,
    ],
  },
  {
    command: 'exchanges remove',
    operation: 'exchanges.delete',
    confirm: { question: 'Remove the exchange account {id}?', when: 'always' },
    examples: [`svc exchanges remove ${ACCOUNT}`],
  },
  {
    command: 'exchanges test',
    operation: 'exchanges.test',
    exchangeCredentials: 'required',
    examples: ['svc exchanges test --exchange paper --trading-type spot --credentials-file keys.json'],
  },

  {
    command: 'pairs list',
    operation: 'tradePairs.list',
    columns: ['id', 'symbol', 'exchange', 'trading_type', 'price_tick', 'amount_step', 'min_notional'],
    examples: [
      'svc pairs list --exchange paper --trading-type spot --symbol BTC/USDT',
      'svc pairs list --search sol --sort symbol --order asc',
    ],
  },
  { command: 'pairs get', operation: 'tradePairs.get', examples: [`svc pairs get ${PAIR}`] },
  { command: 'pairs ticker', operation: 'tradePairs.ticker', examples: [`svc pairs ticker ${PAIR}`] },
  {
    command: 'pairs candles',
    operation: 'tradePairs.candles',
    examples: [`svc pairs candles ${PAIR} --interval 1d --json candles`],
  },
  {
    command: 'pairs order-book',
    operation: 'tradePairs.orderBook',
    examples: [`svc pairs order-book ${PAIR} --depth 5`],
  },

  {
    command: 'trades list',
    operation: 'trades.list',
    columns: [
      'id',
      'symbol',
      'side',
      'type',
      'status',
      'amount',
      ['filled_amount', 'filled'],
      ['average_price', 'price'],
      'created_at',
    ],
    examples: [
      'svc trades list --status FILLED',
      'svc trades list --all --jq \'.[] | select(.side == "BUY") | .id\'',
    ],
  },
  {
    command: 'trades create',
    operation: 'trades.create',
    confirm: { question: 'Place a {type} order to {side} {amount} with real money?', when: 'live' },
    examples: [
      'svc trades create --pair BTC/USDT --side BUY --type MARKET --amount 0.01',
      'svc trades create --account main --pair BTC/USDT --side SELL --type LIMIT --price 65000 --amount 0.01',
      'svc trades create --from-file order.json',
    ],
  },
  {
    command: 'lots list',
    operation: 'lots.list',
    columns: [
      'id',
      'symbol',
      'side',
      'status',
      ['remaining_amount', 'remaining'],
      ['entry_price', 'entry'],
      'cost',
      'realized_pnl',
      'unrealized_pnl',
      'created_at',
    ],
    examples: ['svc lots list --status OPEN', `svc lots list --copier-id ${COPIER}`],
  },
  {
    command: 'lots close',
    operation: 'lots.close',
    confirm: { question: 'Close the lot {id} at the market price with real money?', when: 'live' },
    examples: [`svc lots close ${LOT}`, `svc lots close ${LOT} --fraction 0.5`],
  },
  {
    command: 'positions list',
    operation: 'positions.list',
    columns: [
      'id',
      'symbol',
      'side',
      'amount',
      ['entry_price', 'entry'],
      ['mark_price', 'mark'],
      ['liquidation_price', 'liquidation'],
      'leverage',
      'margin_ratio',
      'unrealized_pnl',
      'realized_pnl',
    ],
    examples: ['svc positions list', `svc positions list --exchange-account-id ${ACCOUNT}`],
  },
  {
    command: 'exchanges set-leverage',
    operation: 'positions.setLeverage',
    examples: [
      `svc exchanges set-leverage ${ACCOUNT} --trade-pair-id ${PAIR} --leverage 5`,
      `svc exchanges set-leverage ${ACCOUNT} --trade-pair-id ${PAIR} --leverage 5 --margin-mode ISOLATED`,
    ],
  },
  {
    command: 'trades analytics',
    operation: 'trades.analytics',
    examples: ['svc trades analytics --interval week --json net_pnl,win_rate'],
  },

  {
    command: 'strategies list',
    operation: 'strategies.list',
    columns: [
      'id',
      'name',
      'visibility',
      'status',
      ['copier_count', 'copiers'],
      ['performance.net_pnl', 'net p&l'],
      'created_at',
    ],
    examples: ['svc strategies list', 'svc strategies list --visibility PUBLIC'],
  },
  {
    command: 'strategies create',
    operation: 'strategies.create',
    examples: ['svc strategies create --name momentum --account main'],
  },
  {
    command: 'strategies update',
    operation: 'strategies.update',
    examples: [`svc strategies update ${STRATEGY} --visibility PUBLIC`],
  },
  {
    command: 'strategies delete',
    operation: 'strategies.delete',
    confirm: { question: 'Delete the strategy {id}?', when: 'always' },
    examples: [`svc strategies delete ${STRATEGY} --stop-copiers`],
  },

  {
    command: 'copiers list',
    operation: 'copiers.list',
    columns: [
      'id',
      'name',
      'status',
      ['sizing.mode', 'sizing'],
      ['sizing.value', 'value'],
      ['stats.copied', 'copied'],
      ['stats.net_pnl', 'net p&l'],
    ],
    examples: ['svc copiers list --status ACTIVE'],
  },
  {
    command: 'copiers create',
    operation: 'copiers.create',
    examples: [
      `svc copiers create --name mirror --strategy-id ${STRATEGY} --account main --sizing.mode MULTIPLIER --sizing.value 0.5`,
    ],
  },
  {
    command: 'copiers update',
    operation: 'copiers.update',
    examples: [`svc copiers update ${COPIER} --limits.max-trade-quote 500`],
  },
  {
    command: 'copiers delete',
    operation: 'copiers.delete',
    confirm: { question: 'Delete the copier {id}?', when: 'always' },
    examples: [`svc copiers delete ${COPIER}`],
  },
  {
    command: 'copiers start',
    operation: 'copiers.start',
    confirm: { question: 'Start {id}? It trades with real money.', when: 'live' },
    examples: [`svc copiers start ${COPIER}`],
  },
  {
    command: 'copiers stop',
    operation: 'copiers.stop',
    examples: [`svc copiers stop ${COPIER} --mode CLOSE_ONLY`],
  },
  {
    command: 'copiers decisions',
    operation: 'copiers.decisions',
    columns: ['id', 'sequence', 'symbol', 'kind', 'outcome', 'code', 'sent_amount', 'decided_at'],
    examples: [`svc copiers decisions ${COPIER} --outcome SKIPPED`],
  },
  {
    command: 'copiers simulate',
    operation: 'copiers.simulate',
    examples: [`svc copiers simulate ${COPIER} --from 2026-01-01T00:00:00Z --json copied,net_pnl`],
  },

  {
    command: 'emergency-stop',
    operation: 'emergencyStop.run',
    confirm: {
      question: ({ close_positions }) =>
        close_positions === true
          ? 'Pause every copier, cancel every open order, and close all positions in perpetuals at market?'
          : 'Pause every copier and cancel every open order?',
      when: 'always',
    },
    examples: ['svc emergency-stop', 'svc emergency-stop --close-positions', 'svc emergency-stop --yes'],
  },

  { command: 'me get', operation: 'me.get', examples: ['svc me get --json credential'] },
  { command: 'me update', operation: 'me.update', examples: ['svc me update --email you@example.com'] },
  {
    command: 'me verify-email',
    operation: 'auth.verifyEmail',
    examples: ['svc me verify-email --code CODE_FROM_THE_MAIL'],
  },

  {
    command: 'rewards list',
    operation: 'rewards.list',
    columns: ['id', 'amount', 'currency', 'status', 'reason', 'claimable_at'],
    examples: ['svc rewards list --status CLAIMABLE'],
  },
  {
    command: 'rewards types',
    operation: 'rewards.types',
    columns: ['code', 'name', 'description', 'is_active'],
    examples: ['svc rewards types'],
  },

  {
    command: 'withdrawals list',
    operation: 'withdrawals.list',
    columns: ['id', 'amount', 'fee', 'currency', 'status', 'wallet_address', 'created_at'],
    examples: ['svc withdrawals list --status PENDING'],
  },
  {
    command: 'withdrawals create',
    operation: 'withdrawals.create',
    confirm: { question: 'Withdraw {amount} to {wallet_address}?', when: 'always', inputToRetype: 'amount' },
    examples: [
      'svc withdrawals create --amount 25 --wallet-address 0x52908400098527886E0F7030069857D2E4169EE7',
    ],
  },
  {
    command: 'withdrawal-addresses list',
    operation: 'withdrawalAddresses.list',
    columns: ['id', 'address', 'label', 'status', 'usable_at'],
    examples: ['svc withdrawal-addresses list'],
  },

  {
    command: 'notifications list',
    operation: 'notifications.list',
    columns: ['id', 'severity', 'title', 'is_read', 'created_at'],
    examples: ['svc notifications list --is-read false'],
  },
  {
    command: 'notifications delete',
    operation: 'notifications.delete',
    examples: [`svc notifications delete ${NOTIFICATION}`],
  },

  {
    command: 'settings list',
    operation: 'settings.list',
    columns: ['key', 'value', 'updated_at'],
    examples: ['svc settings list'],
  },
  { command: 'settings get', operation: 'settings.get', examples: ['svc settings get dashboard.theme'] },
  {
    command: 'settings set',
    operation: 'settings.put',
    args: ['key', 'value'],
    examples: ['svc settings set dashboard.theme dark', `svc settings set dashboard.columns '["id","cost"]'`],
  },
  {
    command: 'settings unset',
    operation: 'settings.delete',
    examples: ['svc settings unset dashboard.theme'],
  },

  {
    command: 'api-keys list',
    operation: 'apiKeys.list',
    columns: ['id', 'name', 'prefix', 'last_four', 'permissions', 'last_used_at', 'expires_at'],
    examples: ['svc api-keys list --include revoked'],
  },
  {
    command: 'api-keys create',
    operation: 'apiKeys.create',
    secret: 'key',
    examples: [
      'svc api-keys create --name bot --permissions READ,TRADE',
      'svc api-keys create --name bot --jq .key > key.txt',
    ],
  },
  {
    command: 'api-keys revoke',
    operation: 'apiKeys.revoke',
    confirm: { question: 'Revoke the API key {id}? It stops working immediately.', when: 'always' },
    examples: [`svc api-keys revoke ${API_KEY}`],
  },
  {
    command: 'api-keys rotate',
    operation: 'apiKeys.rotate',
    secret: 'key',
    confirm: {
      question: 'Rotate the API key {id}? Its old value stops working immediately.',
      when: 'always',
    },
    examples: [`svc api-keys rotate ${API_KEY}`],
  },
  {
    command: 'public-keys list',
    operation: 'publicKeys.list',
    columns: ['id', 'label', 'last_used_at', 'created_at', ['pubkey', 'public key']],
    examples: ['svc public-keys list'],
  },
  {
    command: 'public-keys revoke',
    operation: 'publicKeys.revoke',
    confirm: {
      question: 'Revoke the public key {id}? The API then rejects its signatures.',
      when: 'always',
    },
    examples: [`svc public-keys revoke ${PUBLIC_KEY}`],
  },

  {
    command: 'webhooks list',
    operation: 'webhooks.list',
    columns: ['id', 'url', 'events', 'is_active', ['consecutive_failures', 'failures']],
    examples: ['svc webhooks list'],
  },
  {
    command: 'webhooks create',
    operation: 'webhooks.create',
    secret: 'secret',
    examples: ['svc webhooks create --url https://example.com/hooks --events trade.filled,trade.closed'],
  },
  {
    command: 'webhooks update',
    operation: 'webhooks.update',
    examples: [`svc webhooks update ${WEBHOOK} --is-active true`],
  },
  {
    command: 'webhooks delete',
    operation: 'webhooks.delete',
    confirm: { question: 'Delete the webhook {id}?', when: 'always' },
    examples: [`svc webhooks delete ${WEBHOOK}`],
  },
  {
    command: 'webhooks rotate-secret',
    operation: 'webhooks.rotateSecret',
    secret: 'secret',
    confirm: {
      question: 'Rotate the secret of {id}? The old secret is no longer used for signing.',
      when: 'always',
    },
    examples: [`svc webhooks rotate-secret ${WEBHOOK}`],
  },
  {
    command: 'webhooks deliveries',
    operation: 'webhooks.deliveries',
    columns: [
      'id',
      'event_type',
      'run',
      'attempt',
      'status',
      ['status_code', 'code'],
      ['response_time_ms', 'ms'],
      'attempted_at',
      ['error_reason', 'reason'],
    ],
    examples: [`svc webhooks deliveries ${WEBHOOK} --status FAILED`],
  },
  { command: 'webhooks stats', operation: 'webhooks.stats', examples: [`svc webhooks stats ${WEBHOOK}`] },
  {
    command: 'webhooks dead-letters list',
    operation: 'deadLetters.list',
    columns: [
      'id',
      'event_type',
      'status',
      'attempts',
      ['last_status_code', 'code'],
      ['last_error_reason', 'reason'],
      'created_at',
    ],
    args: ['id'],
    examples: [`svc webhooks dead-letters list ${WEBHOOK} --status PENDING`],
  },
  {
    command: 'webhooks dead-letters stats',
    operation: 'deadLetters.stats',
    examples: [`svc webhooks dead-letters stats ${WEBHOOK}`],
  },
  {
    command: 'webhooks dead-letters get',
    operation: 'deadLetters.get',
    examples: [`svc webhooks dead-letters get ${WEBHOOK} ${DEAD_LETTER}`],
  },
  {
    command: 'webhooks dead-letters discard',
    operation: 'deadLetters.discard',
    confirm: { question: 'Discard {dlq_id}?', when: 'always' },
    examples: [`svc webhooks dead-letters discard ${WEBHOOK} ${DEAD_LETTER}`],
  },

  {
    command: 'request-log list',
    operation: 'requestLog.list',
    columns: ['created_at', 'method', 'route', 'status', 'duration_ms', 'request_id'],
    examples: ['svc request-log list --status 4xx'],
  },

  {
    command: 'events list',
    operation: 'events.list',
    columns: [['event_id', 'id'], 'type', 'timestamp'],
    examples: ["svc events list --type 'trade.*'"],
  },
  { command: 'events get', operation: 'events.get', examples: [`svc events get ${EVENT}`] },
  {
    command: 'events types',
    operation: 'events.types',
    examples: ["svc events types --jq '.types[].type'"],
  },
  {
    command: 'events resend',
    operation: 'webhooks.replay',
    args: ['event_id'],
    flagOfParam: { id: 'webhook' },
    examples: [`svc events resend ${EVENT} --webhook ${WEBHOOK}`],
  },

  {
    command: 'sessions list',
    operation: 'browserSessions.list',
    columns: ['id', ['client_name', 'client'], 'address', 'permissions', 'expires_at'],
    examples: ['svc sessions list'],
  },
  {
    command: 'sessions revoke',
    operation: 'browserSessions.revoke',
    confirm: { question: 'Sign the browser session {id} out?', when: 'always' },
    examples: [`svc sessions revoke ${PUBLIC_KEY}`],
  },
  {
    command: 'sessions revoke-all',
    operation: 'browserSessions.revokeAll',
    confirm: { question: 'Sign all browser sessions out?', when: 'always' },
    examples: ['svc sessions revoke-all'],
  },
  {
    command: 'auth deny',
    operation: 'deviceAuthorizations.deny',
    args: ['user_code'],
    examples: ['svc auth deny BCDF-GHJK'],
  },

  { command: 'version', operation: 'version.get', examples: ['svc version'] },
];

/** The custom command that calls each of these operations. They have no row above and get no derived command. */
export const CUSTOM_COMMAND_OF: Partial<Record<OperationId, string>> = {
  'auth.cliChallenge': 'auth login',
  'auth.cliIdentity': 'auth login',
  // The server of a browser calls these with a key pair that it makes for the session.
  'browserSessions.create': 'api',
  'deviceAuthorizations.create': 'api',
  'deviceAuthorizations.token': 'api',
  'deviceAuthorizations.get': 'auth approve',
  'deviceAuthorizations.approve': 'auth approve',
  'events.stream': 'events stream',
  'deadLetters.retry': 'webhooks dead-letters retry',
  'deadLetters.retryMany': 'webhooks dead-letters retry',
};

/** Every command that calls one operation. */
export const OPERATION_COMMANDS: readonly OperationCommand[] = withDerivedCommands(
  OPERATIONS,
  ROWS,
  CUSTOM_COMMAND_OF,
);
