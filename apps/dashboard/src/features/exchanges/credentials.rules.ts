/** The practice exchange of this product. */
export const PAPER = 'paper';

/** Returns whether an exchange may give a passphrase with a key. */
const hasPassphrase = (exchange: string) => exchange !== PAPER;

/** Says what to check if the exchange rejected the credentials: the fields of its form, then the key itself. */
export function rejectionAdvice(exchange: string): string {
  if (!hasPassphrase(exchange)) return 'Check the API key and the API secret.';
  return 'Check the API key, the API secret and, if the exchange gave one, the passphrase. Then check the permissions and the IP allow list of the key at the exchange.';
}
