import { createServer, request as sendRequest } from 'node:http';

/**
 * A proxy between a client and one server, both unmodified. It applies the next planned fault to each request.
 *
 * - `reset`: resets the connection before the server receives the request
 * - `lose`: drops the whole response after the server has handled the request
 * - `cut`: drops the second half of the response
 * - a status: the proxy itself responds, and the server receives nothing
 *
 * @typedef {'reset' | 'lose' | 'cut' | { status: number, headers?: Record<string, string>, body?: string }} Fault
 * @typedef {{ method: string, path: string, headers: import('node:http').IncomingHttpHeaders }} ProxiedRequest
 */

/** @param {string} serverUrl the origin of the server */
export async function openFaultyProxy(serverUrl) {
  /** @type {Fault[]} */
  let planned = [];
  /** @type {ProxiedRequest[]} */
  let requests = [];
  /** @type {Set<import('node:http').ServerResponse>} */
  const open = new Set();

  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    requests.push({ method, path: url, headers });
    const fault = planned.shift();
    if (fault === 'reset') return request.socket.resetAndDestroy();
    if (typeof fault === 'object')
      return void response.writeHead(fault.status, fault.headers).end(fault.body);
    open.add(response);
    response.once('close', () => open.delete(response));
    const forwarded = sendRequest(serverUrl + url, { method, headers }, (serverResponse) =>
      forwardResponse(serverResponse, response, fault),
    );
    forwarded.on('error', () => request.socket.resetAndDestroy());
    response.once('close', () => forwarded.destroy());
    forwarded.end(Buffer.concat(chunks));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

  return {
    url: `http://127.0.0.1:${port}`,
    /**
     * Plans a fault for each of the next requests, and clears `requests`. Requests after these are forwarded unchanged.
     * Without arguments, all requests are forwarded unchanged.
     */
    plan(/** @type {Fault[]} */ ...faults) {
      planned = faults;
      requests = [];
    },
    /** The requests since the last `plan`. */
    get requests() {
      return requests;
    },
    /** Resets the connections of all responses that have not ended. */
    resetOpenConnections() {
      for (const { socket } of open) socket?.resetAndDestroy();
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * @param {import('node:http').IncomingMessage} serverResponse
 * @param {import('node:http').ServerResponse} response
 * @param {'lose' | 'cut' | undefined} fault
 */
async function forwardResponse(serverResponse, response, fault) {
  const { statusCode = 502, headers } = serverResponse;
  if (fault === undefined) {
    response.writeHead(statusCode, headers).flushHeaders();
    serverResponse.on('error', () => response.destroy());
    serverResponse.pipe(response);
    return;
  }
  const chunks = [];
  for await (const chunk of serverResponse) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (fault === 'cut') {
    response.writeHead(statusCode, headers);
    await new Promise((resolve) => response.write(body.subarray(0, body.length / 2), resolve));
  }
  response.socket?.resetAndDestroy();
}
