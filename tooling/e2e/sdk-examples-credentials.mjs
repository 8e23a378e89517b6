/**
 * Creates the credentials that examples of the SDK change or end, each with a new key pair.
 *
 * @typedef {{ sdk: import('./sdk-examples-environment.mjs').Sdk, client: any }} Account the exports of the SDK, and a client of the account
 */

/** Returns the id of a public key. @param {Account} account */
export async function linkPublicKey({ sdk, client }) {
  const { id } = await client.auth.cliIdentity(await proofOfNewKey({ sdk, client }));
  return id;
}

/** Returns the id of a browser session. @param {Account} account */
export async function openBrowserSession({ sdk, client }) {
  const proof = await proofOfNewKey({ sdk, client });
  const { id } = await client.browserSessions.create({ ...proof, client_name: 'dashboard' });
  return id;
}

/** Returns the codes of a sign-in that waits for approval. @param {Account} account */
export async function startSignInByCode({ sdk, client }) {
  const proof = await proofOfNewKey({ sdk, client });
  return client.deviceAuthorizations.create({ ...proof, client_name: 'dashboard' });
}

/** Returns the device code of an approved sign-in. @param {Account} account */
export async function approveSignInByCode(account) {
  const { device_code, user_code } = await startSignInByCode(account);
  await account.client.deviceAuthorizations.approve({ user_code });
  return device_code;
}

/** Returns a challenge that a new key pair has signed. @param {Account} account */
async function proofOfNewKey({ sdk, client }) {
  const signer = sdk.createSigner(sdk.generatePrivateKey());
  const { challenge } = await client.auth.cliChallenge();
  return sdk.signChallenge(challenge, signer);
}
