import { createRequestSigner } from '@trading-automation/signed-request';
import { createClient as createSocketClient } from 'graphql-ws/client';
import { WebSocket } from 'ws';

/**
 * A client of the published GraphQL interface and nothing else: it knows an address, a key pair, and JSON.
 *
 * @typedef {{ status: number, headers: Headers, data: any, errors: any[] | undefined }} GraphqlAnswer
 *
 * @typedef {{ query: string, variables?: Record<string, unknown> }} Asked
 */

const path = '/graphql';

/**
 * @param {{ graphqlUrl: string, privateKey: Uint8Array }} options every operation is signed
 */
export function createGraphqlClient({ graphqlUrl, privateKey }) {
  const sign = createRequestSigner(privateKey);

  /**
   * @param {Asked | string} asked text stands for a query without variables
   * @param {Record<string, string>} [headers]
   * @returns {Promise<GraphqlAnswer>}
   */
  async function ask(asked, headers = {}) {
    const body = JSON.stringify(typeof asked === 'string' ? { query: asked } : asked);
    const answer = await fetch(graphqlUrl + path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...sign({ method: 'POST', path, body }), ...headers },
    });
    const { data, errors } = /** @type {any} */ (await answer.json());
    return { status: answer.status, headers: answer.headers, data, errors };
  }

  return {
    ask,
    /**
     * A socket, opened with its first subscription and signed for each time that it is opened.
     *
     * @param {Partial<import('graphql-ws/client').ClientOptions>} [options]
     */
    connect: (options = {}) =>
      createSocketClient({
        url: graphqlUrl.replace(/^http/, 'ws') + path,
        webSocketImpl: WebSocket,
        connectionParams: () => ({ ...sign({ method: 'CONNECT', path }) }),
        ...options,
      }),
  };
}

/** @typedef {ReturnType<typeof createGraphqlClient>} GraphqlClient */
