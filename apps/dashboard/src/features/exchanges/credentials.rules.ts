/** What an exchange issues with an API key, and what to check if it rejects the key. */
import type { SupportedExchange } from '@trading-automation/sdk';

/** The practice exchange of this product. */
export const PAPER = 'paper';

/** What a form of credentials needs to know of an exchange. */
export type CredentialedExchange = Pick<SupportedExchange, 'id' | 'name' | 'credentials'>;

type Permissions = SupportedExchange['credentials']['permissions'][number];

/** What a key needs at an exchange that does not name its permissions. */
const ANY_EXCHANGE: Omit<Permissions, 'trading_type'> = {
  needed: ['Read balances, orders and trades', 'Place and cancel orders'],
  refused: ['Withdraw', 'Transfer to other accounts'],
  notes: [],
};

/** The permissions of a key for a trading type, in the words of the exchange. */
export const permissionsOf = (
  { credentials }: Pick<SupportedExchange, 'credentials'>,
  tradingType: string,
): Omit<Permissions, 'trading_type'> =>
  credentials.permissions.find(({ trading_type }) => trading_type === tradingType) ?? ANY_EXCHANGE;

/** The page about an exchange; undefined if the installation has no documentation, or for the practice exchange. */
export const guideOf = (exchange: string, docsUrl: string | undefined): string | undefined =>
  docsUrl === undefined || exchange === PAPER ? undefined : `${docsUrl}/venues/${exchange}`;

/** Says what to check if the exchange rejected the credentials: the fields of its form, then the key itself. */
export function rejectionAdvice(exchange: CredentialedExchange | undefined): string {
  if (exchange === undefined)
    return 'Check all fields, then the permissions and the IP allow list of the key.';
  const { secret, has_passphrase } = exchange.credentials;
  const fields = [
    'the API key',
    secret === 'EC_PRIVATE_KEY' ? 'the private key' : 'the API secret',
    ...(has_passphrase ? ['the passphrase'] : []),
  ];
  const check = `Check ${fields.slice(0, -1).join(', ')} and ${fields.at(-1)}.`;
  if (exchange.id === PAPER) return check;
  return `${check} Then check the permissions and the IP allow list of the key at ${exchange.name}.`;
}
