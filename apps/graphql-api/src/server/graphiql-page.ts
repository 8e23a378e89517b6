/**
 * The page of GraphiQL and its script.
 *
 * The script creates a key pair in the page, links it to a new account with one click, and signs every request and every
 * connection with it. The private key stays in the tab: it is stored in `sessionStorage` and never sent.
 */

/** The path of the page's assets. */
export const GRAPHIQL_PREFIX = '/graphiql/';
/** The path of the ES modules that the script imports. */
export const MODULES_PREFIX = `${GRAPHIQL_PREFIX}modules/`;

export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>GraphiQL</title>
<link rel="stylesheet" href="${GRAPHIQL_PREFIX}graphiql.css">
<link rel="stylesheet" href="${GRAPHIQL_PREFIX}page.css">
</head>
<body>
<header>
<button id="sign-in" type="button">Sign with a demo key</button>
<button id="sign-out" type="button" hidden>Forget the key</button>
<p id="status" role="status">Creates an account and a key pair in this page, which signs each request.</p>
</header>
<main id="graphiql"></main>
<script src="${GRAPHIQL_PREFIX}react.js"></script>
<script src="${GRAPHIQL_PREFIX}react-dom.js"></script>
<script src="${GRAPHIQL_PREFIX}graphiql.js"></script>
<script type="module" src="${GRAPHIQL_PREFIX}start.js"></script>
</body>
</html>
`;

export const STYLES = `body { margin: 0; display: flex; flex-direction: column; height: 100vh; color-scheme: light dark }
header { display: flex; gap: 12px; align-items: center; padding: 10px 16px; font: 14px/1.4 system-ui, sans-serif }
header { background: #1f2937; color: #f9fafb }
header p { margin: 0; overflow-wrap: anywhere }
header button { font: inherit; padding: 6px 12px; border: 0; border-radius: 6px; background: #d60590; color: #fff; cursor: pointer; white-space: nowrap }
header button:disabled { opacity: .6; cursor: default }
header button#sign-out { background: #4b5563 }
main { flex: 1; min-height: 0 }
`;

export const SCRIPT = `import { createRequestSigner, generatePrivateKey, identityMessage, publicKeyOf, signMessage }
  from '${MODULES_PREFIX}signed-request/browser.js';
import { createClient } from '${MODULES_PREFIX}graphql-ws/client.js';

const PATH = '/graphql';
const STORED_KEY = 'demo private key';
const EXAMPLE = \`# Ctrl-Enter runs this query.
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
\`;

const [signIn, signOut, status] = ['sign-in', 'sign-out', 'status'].map((id) => document.getElementById(id));
const root = ReactDOM.createRoot(document.getElementById('graphiql'));
let sockets;

const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const fromHex = (text) => Uint8Array.from(text.match(/../g), (pair) => Number.parseInt(pair, 16));

async function post(query, variables, sign) {
  const body = JSON.stringify({ query, variables });
  const signature = sign === undefined ? {} : sign({ method: 'POST', path: PATH, body });
  const response = await fetch(PATH, {
    method: 'POST', body, headers: { ...signature, 'content-type': 'application/json' },
  });
  const { data, errors } = await response.json();
  if (errors !== undefined) throw new Error(errors[0].message);
  return data;
}

/** Creates a key pair and a new account for it. */
async function createAccount() {
  const key = generatePrivateKey();
  const pubkey = publicKeyOf(key);
  const { cliChallenge: { challenge } } = await post('{ cliChallenge { challenge } }');
  const signature = signMessage(identityMessage(challenge, pubkey), key);
  const input = { challenge, pubkey, signature, label: 'GraphiQL' };
  await post('mutation ($input: CliIdentityCreateInput!) { linkPublicKey(input: $input) { id } }', { input });
  return key;
}

function render(sign) {
  const signedFetch = (url, init) =>
    fetch(url, { ...init, headers: { ...init.headers, ...sign({ method: 'POST', path: PATH, body: init.body }) } });
  sockets = sign === undefined ? undefined : createClient({
    url: location.origin.replace(/^http/, 'ws') + PATH,
    connectionParams: () => sign({ method: 'CONNECT', path: PATH }),
  });
  const fetcher = GraphiQL.createFetcher(
    sign === undefined ? { url: PATH } : { url: PATH, fetch: signedFetch, wsClient: sockets },
  );
  root.render(React.createElement(GraphiQL, {
    // A new key starts GraphiQL anew, so that it loads the schema.
    key: sign === undefined ? 'anonymous' : 'signed',
    fetcher,
    // Only signed requests may read the schema.
    ...(sign === undefined ? { schema: null } : {}),
    defaultQuery: EXAMPLE,
    isHeadersEditorEnabled: true,
    shouldPersistHeaders: false,
  }));
}

async function use(key) {
  const sign = createRequestSigner(key);
  const { me } = await post('{ me { id } }', {}, sign);
  sessionStorage.setItem(STORED_KEY, toHex(key));
  status.textContent = 'Requests are signed for ' + me.id + ' with the key ' + publicKeyOf(key).slice(0, 10) + '…';
  [signIn.hidden, signOut.hidden] = [true, false];
  render(sign);
}

function forget() {
  sessionStorage.removeItem(STORED_KEY);
  sockets?.dispose();
  status.textContent = 'The key is deleted. Requests are not signed.';
  [signIn.hidden, signOut.hidden] = [false, true];
  render();
}

signIn.addEventListener('click', async () => {
  signIn.disabled = true;
  try {
    await use(await createAccount());
  } catch (error) {
    status.textContent = 'Could not sign in: ' + error.message;
  } finally {
    signIn.disabled = false;
  }
});
signOut.addEventListener('click', forget);

const stored = sessionStorage.getItem(STORED_KEY);
if (stored === null) render();
else use(fromHex(stored)).catch(forget);
`;
