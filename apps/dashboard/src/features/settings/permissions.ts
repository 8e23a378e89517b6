import type { Permission } from '../../data/permissions';

export const MEANINGS: readonly { readonly value: Permission; readonly meaning: string }[] = [
  { value: 'READ', meaning: 'See everything in the account.' },
  { value: 'TRADE', meaning: 'Place orders, and run strategies and copiers.' },
  { value: 'WITHDRAW', meaning: 'Claim rewards and withdraw tokens.' },
  { value: 'ADMIN', meaning: 'All of these, and create keys, approve sessions and change the account.' },
];

const KINDS: Readonly<Record<string, string>> = {
  api_key: 'API key',
  public_key: 'Public key',
  session: 'Account session',
  browser_session: 'Browser session',
};

/** Names the kind of a credential. */
export const credentialWords = (kind: string) => KINDS[kind] ?? kind;
