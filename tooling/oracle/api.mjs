import { setTimeout as wait } from 'node:timers/promises';

/** In this time a killed API is restarted, also on a slow machine. */
const UNAVAILABLE_MAX_MS = 60_000;

/** Calls the REST API with exact decimals: every number of a response is a string. */
export class Api {
  /** @param {{ restUrl: string, apiKey: string }} options */
  constructor({ restUrl, apiKey }) {
    this.restUrl = restUrl;
    this.headers = { 'x-api-key': apiKey, accept: 'application/json; decimals=string' };
  }

  /**
   * Sends a request, and repeats it while the API is unavailable.
   *
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<any>} the `data` of the response, and `pagination` of a list
   */
  async call(method, path, body) {
    const key = crypto.randomUUID();
    const deadline = performance.now() + UNAVAILABLE_MAX_MS;
    for (;;) {
      const outcome = await this.attempt(method, path, key, body);
      if (outcome.isSuccess) return outcome.answer;
      if (performance.now() > deadline || !outcome.isTemporary) {
        throw new Error(`${method} ${path} ${JSON.stringify(body ?? {})}: ${outcome.problem}`);
      }
      await wait(250);
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {string} key
   * @param {object} [body]
   */
  async attempt(method, path, key, body) {
    try {
      const response = await fetch(this.restUrl + path, {
        method,
        headers: {
          ...this.headers,
          ...(method === 'GET' ? {} : { 'content-type': 'application/json', 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = /** @type {any} */ (await response.json());
      const isTemporary = response.status >= 500 || answer.error?.code === 'idempotency_in_progress';
      return { isSuccess: response.ok, isTemporary, answer, problem: JSON.stringify(answer.error) };
    } catch (error) {
      return { isSuccess: false, isTemporary: true, answer: undefined, problem: String(error) };
    }
  }

  /** @param {string} path @returns {Promise<any>} */
  async get(path) {
    return (await this.call('GET', path)).data;
  }

  /** @param {string} path @param {object} [body] @returns {Promise<any>} */
  async post(path, body) {
    return (await this.call('POST', path, body)).data;
  }

  /** @param {string} path @param {object} body */
  async put(path, body) {
    return (await this.call('PUT', path, body)).data;
  }

  /** @param {string} path @param {object} body @returns {Promise<any>} */
  async patch(path, body) {
    return (await this.call('PATCH', path, body)).data;
  }

  /**
   * Returns all records of a list.
   *
   * @param {string} path with a query
   * @returns {Promise<any[]>}
   */
  async list(path) {
    const records = [];
    let cursor = '';
    for (;;) {
      const { data, pagination } = await this.call('GET', `${path}&limit=100${cursor}`);
      records.push(...data);
      if (!pagination.has_more) return records;
      cursor = `&cursor=${encodeURIComponent(pagination.next_cursor)}`;
    }
  }
}
