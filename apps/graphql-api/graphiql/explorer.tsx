/** Renders GraphiQL. The page loads this module last, because it is large. */
import { createGraphiQLFetcher } from '@graphiql/toolkit';
import type { RequestSigner } from '@trading-automation/signed-request/browser';
import { GraphiQL } from 'graphiql';
import { type Client, createClient } from 'graphql-ws';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { GRAPHQL_PATH } from './demo-account.js';
import { startWorker } from './workers.js';

const EXAMPLE = `# Ctrl-Enter runs this query.
# Ctrl-Space completes fields.
query {
  me {
    id
    world
    credential {
      kind
      permissions
    }
  }
}
`;

self.MonacoEnvironment = { getWorker: (_id, label) => startWorker(label) };

export class Explorer {
  private readonly root;
  private sockets: Client | undefined;

  constructor(element: Element) {
    this.root = createRoot(element);
  }

  /**
   * Shows GraphiQL for a signer; without one, requests are not signed. When this returns, nothing uses the previous signer
   * any more.
   */
  show(sign?: RequestSigner): void {
    void this.sockets?.dispose();
    this.sockets = sign && createSockets(sign);
    flushSync(() => this.root.render(graphiqlFor(sign, this.sockets)));
  }
}

function graphiqlFor(sign: RequestSigner | undefined, sockets: Client | undefined) {
  const fetcher = createGraphiQLFetcher({
    url: GRAPHQL_PATH,
    ...(sign && { fetch: createSignedFetch(sign) }),
    ...(sockets && { wsClient: sockets }),
  });
  return (
    <GraphiQL
      // A new key starts GraphiQL anew, so that it loads the schema.
      key={sign === undefined ? 'anonymous' : 'signed'}
      fetcher={fetcher}
      // Only signed requests may read the schema.
      {...(sign === undefined && { schema: null })}
      defaultQuery={EXAMPLE}
      isHeadersEditorEnabled
      shouldPersistHeaders={false}
    />
  );
}

function createSockets(sign: RequestSigner): Client {
  return createClient({
    url: location.origin.replace(/^http/, 'ws') + GRAPHQL_PATH,
    connectionParams: () => ({ ...sign({ method: 'CONNECT', path: GRAPHQL_PATH }) }),
  });
}

function createSignedFetch(sign: RequestSigner): typeof fetch {
  return (url, init) => {
    const headers = new Headers(init?.headers);
    const signature = sign({ method: 'POST', path: GRAPHQL_PATH, body: String(init?.body) });
    for (const [name, value] of Object.entries(signature)) headers.set(name, value);
    return fetch(url, { ...init, headers });
  };
}
