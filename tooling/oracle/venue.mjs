import { ledgerOf, readAsAccount } from '../chaos/venue.mjs';
import { exact } from './fraction.mjs';
import { isPerpetual } from './markets.mjs';

/**
 * Controls the paper exchange, and reads its records. The market maker is off, so nothing but the driver and the orders
 * moves a price.
 */
export class Venue {
  /** @param {string} url */
  constructor(url) {
    this.url = url;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object} body
   */
  async admin(method, path, body) {
    const response = await fetch(`${this.url}/admin/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  }

  /** Moves the price, and fills the book around it. The mark price of a contract is fixed. @param {string} symbol @param {string} price @param {string} [mark] */
  async moveTo(symbol, price, mark = price) {
    await this.admin('POST', 'market', {
      symbol,
      price,
      ...(isPerpetual(symbol) ? { mark_price: mark } : {}),
    });
  }

  /** @param {{ symbol: string, bids: [string, string][], asks: [string, string][] }} book */
  async setBook(book) {
    await this.admin('PUT', 'book', book);
  }

  /** Returns the middle of the book. @param {string} symbol */
  async bookMid(symbol) {
    const path = isPerpetual(symbol) ? 'fapi/v1' : 'api/v3';
    const id = symbol.replace(/:.*/, '').replace('/', '');
    const response = await fetch(`${this.url}/${path}/ticker/bookTicker?symbol=${id}`);
    const { bidPrice, askPrice } = /** @type {any} */ (await response.json());
    return exact(bidPrice).plus(exact(askPrice)).over(exact('2'));
  }

  /** @param {import('../chaos/venue.mjs').Credentials} credentials */
  async ledger(credentials) {
    return await ledgerOf(this.url, credentials);
  }

  /** Returns the tiers of a contract, which have the largest notional at each leverage. @param {import('../chaos/venue.mjs').Credentials} credentials @param {string} symbol */
  async leverageTiers(credentials, symbol) {
    const id = symbol.replace(/:.*/, '').replace('/', '');
    const answer = await readAsAccount(this.url, credentials, {
      path: '/fapi/v1/leverageBracket',
      params: { symbol: id },
    });
    const [{ brackets }] = [answer].flat();
    return brackets;
  }
}
