import { fileURLToPath } from 'node:url';

/**
 * The options of the services of one deployment on this machine.
 *
 * @typedef {{
 *   databaseUrl: string, redisUrl: string, keys: import('./keys.mjs').Keys, paperExchangeDir: string,
 *   ports: { rest: number, paperExchange: number, graphql?: number, dashboard?: number },
 *   mailbox?: { dir: string, ports: { page: number, smtp: number } },
 *   commit?: string,
 *   venueLimits?: { weightPerMinute: number, ordersPer10s: number },
 *   paperTradingTypes?: readonly ('spot' | 'margin' | 'perpetual')[],
 *   extraEnv?: Record<string, Record<string, string>>,
 * }} ServiceListOptions the GraphQL API and the dashboard run only if `ports` has one for
 *   them, and the dashboard needs the GraphQL API; without `mailbox`, mail stays queued;
 *   `extraEnv` adds environment variables to single services, by the service's name; `venueLimits` replaces the default
 *   limits of the paper exchange; `paperTradingTypes` is what it offers, for releases that do not know all types
 *
 * @typedef {{ name: string, app: string, main?: string, url?: string, env: Record<string, string> }} Service `main`: the
 *   file to run instead of `dist/main.js` of the app
 */

/** With semi-spaces of 64 MiB, the garbage collector rarely copies the short-lived objects of a request (ADR 13). */
export const serviceNodeOptions = '--max-semi-space-size=64';

/** The test world, which has only paper exchanges. */
const world = 'test';

/** The sender of mail. The mail never leaves this machine. */
const mailFrom = 'Trading automation <no-reply@trading-automation.localhost>';

/** High rate limits of the APIs, for tests and benchmarks that send more requests than the published limits allow. */
export const ampleRateLimits = JSON.stringify(
  Object.fromEntries(
    [
      'general',
      'trade_writes',
      'sensitive_writes',
      'identity_writes',
      'simulations',
      'exchange_tests',
      'webhook_tests',
    ].map((name) => [name, { requests: 10_000_000, seconds: 60 }]),
  ),
);

/** High limits of the paper exchange, for tests and benchmarks with many accounts behind one IP address. */
export const ampleVenueLimits = { weightPerMinute: 10_000_000, ordersPer10s: 100_000 };

/**
 * Returns every service with its settings. To add an app, add an entry.
 *
 * @param {ServiceListOptions} options
 * @returns {Service[]}
 */
export function listServices(options) {
  const {
    databaseUrl,
    redisUrl,
    keys,
    paperExchangeDir,
    ports,
    mailbox,
    commit,
    venueLimits,
    paperTradingTypes = ['spot', 'margin', 'perpetual'],
    extraEnv = {},
  } = options;
  const paperExchangeUrl = `http://127.0.0.1:${ports.paperExchange}`;
  const restUrl = `http://127.0.0.1:${ports.rest}`;
  const shared = { WORLD: world, DATABASE_URL: databaseUrl, REDIS_URL: redisUrl };
  /** @param {import('./keys.mjs').SealingKeyPair} pair */
  const publicHalf = ({ id, publicKey }) => `${id}.${publicKey}`;
  /** @param {import('./keys.mjs').SealingKeyPair} pair */
  const privateHalf = ({ id, privateKey }) => `${id}.${privateKey}`;
  const paperVenue = {
    id: 'paper',
    name: 'Paper Exchange',
    adapter: 'binance',
    tradingTypes: paperTradingTypes,
    url: paperExchangeUrl,
    ...(venueLimits === undefined ? {} : { limits: venueLimits }),
  };
  /** The settings that both APIs share, so that each accepts the other's cursors. */
  const api = {
    ...shared,
    NODE_OPTIONS: serviceNodeOptions,
    SERVER_KEYS: keys.server,
    EXCHANGE_SEALING_KEY: publicHalf(keys.exchangeSealing),
    WEBHOOK_SEALING_KEY: publicHalf(keys.webhookSealing),
    OPEN_REGISTRATION: 'true',
    ...(commit === undefined ? {} : { COMMIT: commit }),
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    // The dashboard, which reports the addresses of browsers.
    ...(ports.dashboard === undefined ? {} : { TRUSTED_PROXIES: '127.0.0.1' }),
  };
  /** @type {Service[]} */
  const services = [
    ...(mailbox === undefined ? [] : [mailboxService(mailbox)]),
    {
      name: 'paper-exchange',
      app: 'paper-exchange',
      url: paperExchangeUrl,
      env: {
        PORT: String(ports.paperExchange),
        DATA_DIR: paperExchangeDir,
        ...(venueLimits === undefined
          ? {}
          : {
              WEIGHT_PER_MINUTE: String(venueLimits.weightPerMinute),
              ORDERS_PER_10S: String(venueLimits.ordersPer10s),
              FUTURES_WEIGHT_PER_MINUTE: String(venueLimits.weightPerMinute),
              FUTURES_ORDERS_PER_10S: String(venueLimits.ordersPer10s),
              FUTURES_ORDERS_PER_MINUTE: String(venueLimits.ordersPer10s * 6),
            }),
      },
    },
    {
      name: 'trading-worker',
      app: 'trading-worker',
      env: {
        ...shared,
        NODE_OPTIONS: serviceNodeOptions,
        EXCHANGE_OPENING_KEYS: privateHalf(keys.exchangeSealing),
        VENUES: JSON.stringify([paperVenue]),
      },
    },
    {
      name: 'webhook-dispatcher',
      app: 'webhook-dispatcher',
      env: {
        ...shared,
        NODE_OPTIONS: serviceNodeOptions,
        WEBHOOK_OPENING_KEYS: privateHalf(keys.webhookSealing),
        // Shorter than the grace period of the supervisor; interrupted attempts are repeated.
        STOP_GRACE_MS: '8000',
        WEBHOOK_ALLOW_LOOPBACK: 'true',
        ...(mailbox === undefined
          ? {}
          : { SMTP_URL: `smtp://127.0.0.1:${mailbox.ports.smtp}`, MAIL_FROM: mailFrom }),
      },
    },
    {
      name: 'rest-api',
      app: 'rest-api',
      url: restUrl,
      env: { ...api, PORT: String(ports.rest), PUBLIC_URL: restUrl },
    },
    ...(ports.graphql === undefined
      ? []
      : [graphqlService(ports.graphql, { ...api, REST_PUBLIC_URL: restUrl })]),
    ...(ports.dashboard === undefined || ports.graphql === undefined
      ? []
      : [
          dashboardService(ports.dashboard, {
            REST_URL: restUrl,
            GRAPHQL_URL: `http://127.0.0.1:${ports.graphql}`,
            SESSION_KEYS: keys.session,
          }),
        ]),
  ];
  return services.map((service) => ({ ...service, env: { ...service.env, ...extraEnv[service.name] } }));
}

/**
 * @param {number} port
 * @param {Record<string, string>} env
 * @returns {Service}
 */
function graphqlService(port, env) {
  const url = `http://127.0.0.1:${port}`;
  return {
    name: 'graphql-api',
    app: 'graphql-api',
    url,
    env: { ...env, PORT: String(port), PUBLIC_URL: url, GRAPHIQL: 'true' },
  };
}

/**
 * @param {number} port
 * @param {Record<string, string>} env
 * @returns {Service}
 */
function dashboardService(port, env) {
  const url = `http://127.0.0.1:${port}`;
  return {
    name: 'dashboard',
    app: 'dashboard',
    url,
    env: {
      ...env,
      NODE_ENV: 'production',
      WORLD: world,
      PORT: String(port),
      PUBLIC_URL: url,
      OPEN_REGISTRATION: 'true',
    },
  };
}

/**
 * @param {NonNullable<ServiceListOptions['mailbox']>} mailbox
 * @returns {Service}
 */
function mailboxService({ dir, ports }) {
  return {
    name: 'mailbox',
    app: 'mailbox',
    main: fileURLToPath(new URL('../mailbox/main.mjs', import.meta.url)),
    url: `http://127.0.0.1:${ports.page}`,
    env: { PORT: String(ports.page), SMTP_PORT: String(ports.smtp), MAIL_DIR: dir },
  };
}
