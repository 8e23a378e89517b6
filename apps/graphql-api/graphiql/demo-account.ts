/** Creates an account with a key pair, and signs requests with it. The private key never leaves the page. */
import {
  createRequestSigner,
  generatePrivateKey,
  identityMessage,
  publicKeyOf,
  type RequestSigner,
  signMessage,
} from '@trading-automation/signed-request/browser';

export const GRAPHQL_PATH = '/graphql';

export interface DemoAccount {
  readonly userId: string;
  readonly publicKey: string;
  readonly sign: RequestSigner;
}

interface Response<Data> {
  readonly data: Data;
  readonly errors?: readonly [{ readonly message: string }];
}

/** Creates a key pair and a new account for it. Returns the private key. */
export async function createAccount(): Promise<Uint8Array> {
  const privateKey = generatePrivateKey();
  const pubkey = publicKeyOf(privateKey);
  const { cliChallenge } = await post<{ cliChallenge: { challenge: string } }>({
    query: '{ cliChallenge { challenge } }',
  });
  const { challenge } = cliChallenge;
  const signature = signMessage(identityMessage(challenge, pubkey), privateKey);
  await post({
    query: 'mutation ($input: CliIdentityCreateInput!) { linkPublicKey(input: $input) { id } }',
    variables: { input: { challenge, pubkey, signature, label: 'GraphiQL' } },
  });
  return privateKey;
}

/** Loads the account of a private key. Throws if the API does not accept the key. */
export async function openAccount(privateKey: Uint8Array): Promise<DemoAccount> {
  const sign = createRequestSigner(privateKey);
  const { me } = await post<{ me: { id: string } }>({ query: '{ me { id } }' }, sign);
  return { userId: me.id, publicKey: publicKeyOf(privateKey), sign };
}

async function post<Data>(
  request: { readonly query: string; readonly variables?: object },
  sign?: RequestSigner,
): Promise<Data> {
  const body = JSON.stringify(request);
  const response = await fetch(GRAPHQL_PATH, {
    method: 'POST',
    body,
    headers: { ...sign?.({ method: 'POST', path: GRAPHQL_PATH, body }), 'content-type': 'application/json' },
  });
  const { data, errors }: Response<Data> = await response.json();
  if (errors !== undefined) throw new Error(errors[0].message);
  return data;
}
