import { openVenueAccount } from '../chaos/venue.mjs';
import { keyOf } from '../e2e/accounts.mjs';
import { openAccount } from '../launch/first-trade/client.mjs';
import { Api } from './api.mjs';
import { exact } from './fraction.mjs';
import { MARKETS } from './markets.mjs';
import { drawPerpetualCopier } from './perpetual-settings.mjs';
import { drawAccount, drawCopier } from './settings.mjs';

/**
 * Creates the user, whose copiers follow strategies of the user. To the owner of a strategy, decisions show exact numbers.
 *
 * @typedef {{ id: string, name: string, credentials: import('../chaos/venue.mjs').Credentials }} Account
 * @typedef {{ id: string, account: Account }} Strategy
 * @typedef {{ id: string, name: string, account: Account, strategy: Strategy }} Copier
 * @typedef {import('./entries.mjs').Pair & { id: string }} OraclePair
 */

/**
 * @param {import('../e2e/killable-product.mjs').KillableProduct} product
 * @param {import('./venue.mjs').Venue} venue
 * @param {import('../chaos/random.mjs').Random} random
 * @param {{ strategies: number, copiers: number, tradingType: import('./markets.mjs').TradingType }} size the number of strategies,
 *   and of copiers of each
 */
export async function openParticipants(product, venue, random, size) {
  const { restUrl } = product;
  const { api: signed } = await openAccount({ restUrl, privateKey: keyOf('oracle') });
  const { key } = await signed.apiKeys.create({ name: 'oracle', permissions: ['READ', 'TRADE'] });
  const api = new Api({ restUrl, apiKey: key });
  const { tradingType } = size;
  const pairs = await pairsOf(api, tradingType);
  // Everything is drawn before anything is opened, so that a seed gives the same participants at any speed.
  const drawn = Array.from({ length: size.strategies }, () => ({
    feeAsset: random.pick([null, null, 'USDT', 'SOL']),
    copiers: Array.from({ length: size.copiers }, (_, number) =>
      drawParticipant(random, number, tradingType),
    ),
  }));
  const leverageOf = () => random.pick(['5', '10', '20', '33']);
  const drawnLeverages = Array.from({ length: size.strategies * size.copiers * pairs.length }, leverageOf);
  const opened = await Promise.all(
    drawn.map((each, index) => openStrategy({ api, venue, tradingType }, each, index)),
  );
  const leverages =
    tradingType === 'spot'
      ? []
      : await setLeverages({ api, pairs, accounts: accountsOf(opened), drawn: drawnLeverages });
  return {
    api,
    leverages,
    pairs,
    strategies: opened.map(({ strategy }) => strategy),
    copiers: opened.flatMap(({ copiers }) => copiers),
  };
}

/** @param {readonly { strategy: Strategy, copiers: readonly Copier[] }[]} opened */
const accountsOf = (opened) => [
  ...new Set(
    opened.flatMap(({ strategy, copiers }) => [strategy.account, ...copiers.map(({ account }) => account)]),
  ),
];

/**
 * Sets the leverage of each account for each pair of the day. Of the pairs that a day trades, the product then knows it.
 *
 * @param {{ api: Api, pairs: readonly OraclePair[], accounts: readonly Account[], drawn: readonly string[] }} setting
 * @returns {Promise<[Account, OraclePair, string][]>}
 */
async function setLeverages({ api, pairs, accounts, drawn }) {
  const traded = pairs.filter(({ symbol }) => MARKETS.perpetual.symbols.includes(symbol));
  const settings = accounts.flatMap((account, index) =>
    traded.map(
      (pair, number) =>
        /** @type {[Account, OraclePair, string]} */ ([
          account,
          pair,
          drawn[index * traded.length + number] ?? '20',
        ]),
    ),
  );
  for (const [account, pair, leverage] of settings)
    await api.put(`/v1/exchanges/${account.id}/leverage`, { trade_pair_id: pair.id, leverage });
  return settings;
}

/**
 * The first copier of a strategy can afford everything. The second one shares its account; on perpetuals, the third one, too.
 *
 * @param {import('../chaos/random.mjs').Random} random
 * @param {number} number
 * @param {import('./markets.mjs').TradingType} tradingType
 */
function drawParticipant(random, number, tradingType) {
  if (tradingType === 'perpetual') {
    const account = { balances: { USDT: number === 5 ? '60000' : '400000' }, feeAsset: null };
    const sharesAccount = number === 1 || number === 2;
    return { account, settings: drawPerpetualCopier(random, number), sharesAccount };
  }
  const account =
    number === 0 ? { balances: { USDT: '500000', SOL: '20' }, feeAsset: null } : drawAccount(random, number);
  return { account, settings: drawCopier(random, number), sharesAccount: number === 1 };
}

/**
 * @param {Opening} opening
 * @param {{ feeAsset: string | null, copiers: ReturnType<typeof drawParticipant>[] }} drawn
 * @param {number} index
 */
async function openStrategy(opening, { feeAsset, copiers: drawnCopiers }, index) {
  const { api, tradingType } = opening;
  /** @type {Record<string, string>} */
  const balances = tradingType === 'spot' ? { USDT: '200000', SOL: '50' } : { USDT: '200000' };
  const account = await linkAccount(opening, `leader ${index}`, { balances, feeAsset });
  const { id } = await api.post('/v1/strategies', {
    name: `strategy ${index}`,
    exchange_account_id: account.id,
  });
  const strategy = { id, account };
  /** @type {Copier[]} */
  const copiers = [];
  for (const [number, { account: terms, settings, sharesAccount }] of drawnCopiers.entries()) {
    const name = `copier ${index}.${number}`;
    const shared = sharesAccount ? copiers.at(-1)?.account : undefined;
    const copyAccount = shared ?? (await linkAccount(opening, name, terms));
    const body = { name, strategy_id: id, exchange_account_id: copyAccount.id, ...settings };
    const copier = await api.post('/v1/copiers', body);
    await api.post(`/v1/copiers/${copier.id}/start`, {});
    copiers.push({ id: copier.id, name, account: copyAccount, strategy });
  }
  return { strategy, copiers };
}

/** @typedef {Awaited<ReturnType<typeof openParticipants>>} Participants */

/**
 * @typedef {{ api: Api, venue: import('./venue.mjs').Venue, tradingType: import('./markets.mjs').TradingType }} Opening
 *
 * @param {Opening} opening
 * @param {string} name
 * @param {{ balances: Record<string, string>, feeAsset: string | null }} drawn
 * @returns {Promise<Account>}
 */
async function linkAccount({ api, venue, tradingType }, name, { balances, feeAsset }) {
  const credentials =
    tradingType === 'spot'
      ? await openVenueAccount(venue.url, balances)
      : await openVenueAccount(venue.url, {}, balances);
  if (tradingType === 'spot' && feeAsset !== null)
    await venue.admin('PUT', 'fees', { api_key: credentials.api_key, asset: feeAsset });
  const { id } = await api.post('/v1/exchanges', {
    exchange: 'paper',
    account_name: name,
    trading_type: tradingType,
    credentials,
  });
  return { id, name, credentials };
}

/** Returns the pairs of the paper exchange once the worker has loaded them. @param {Api} api @param {string} tradingType @returns {Promise<OraclePair[]>} */
async function pairsOf(api, tradingType) {
  for (;;) {
    const all = await api.list('/v1/trade-pairs?exchange=paper');
    const pairs = all.filter(({ trading_type }) => trading_type === tradingType);
    if (pairs.length > 0) return pairs.map(pairOf);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** @param {any} record @returns {OraclePair} */
const pairOf = (record) => ({
  id: record.id,
  symbol: record.symbol,
  base: record.base,
  quote: record.quote,
  settle: record.settle,
  tick: exact(record.price_tick),
  step: exact(record.amount_step),
  marketStep: exact(record.market_amount_step ?? record.amount_step),
  minAmount: exact(record.min_amount),
  minNotional: exact(record.min_notional),
  takerFee: record.taker_fee === undefined ? undefined : exact(record.taker_fee),
});
