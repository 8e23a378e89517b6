/** The page: one click creates an account, whose key pair then signs the requests of GraphiQL. */
import { createAccount, openAccount } from './demo-account.js';
import { forgetKey, storedKey, storeKey } from './stored-key.js';

const signIn = elementOf('sign-in');
const signOut = elementOf('sign-out');
const status = elementOf('status');
const explorer = import('./explorer.js').then(({ Explorer }) => new Explorer(elementOf('graphiql')));

function elementOf(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`The page has no element #${id}.`);
  return element;
}

async function use(privateKey: Uint8Array): Promise<void> {
  const { userId, publicKey, sign } = await openAccount(privateKey);
  storeKey(privateKey);
  (await explorer).show(sign);
  status.textContent = `Requests are signed for ${userId} with the key ${publicKey.slice(0, 10)}…`;
  [signIn.hidden, signOut.hidden] = [true, false];
}

async function forget(): Promise<void> {
  forgetKey();
  (await explorer).show();
  status.textContent = 'The key is deleted. Requests are not signed.';
  [signIn.hidden, signOut.hidden] = [false, true];
}

async function start(): Promise<void> {
  const privateKey = storedKey();
  if (privateKey === undefined) (await explorer).show();
  else await use(privateKey).catch(forget);
}

signIn.addEventListener('click', async () => {
  signIn.toggleAttribute('disabled', true);
  try {
    await use(await createAccount());
  } catch (error) {
    status.textContent = `Could not sign in: ${error instanceof Error ? error.message : error}`;
  } finally {
    signIn.toggleAttribute('disabled', false);
  }
});
signOut.addEventListener('click', forget);
await start();
