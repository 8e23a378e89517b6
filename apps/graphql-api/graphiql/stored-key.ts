/** Keeps the private key in the tab, so that a reload of the page uses the same account. */
const NAME = 'demo private key';

export function storeKey(privateKey: Uint8Array): void {
  const hex = Array.from(privateKey, (byte) => byte.toString(16).padStart(2, '0'));
  sessionStorage.setItem(NAME, hex.join(''));
}

/** Returns the stored private key; undefined if no key is stored. */
export function storedKey(): Uint8Array | undefined {
  const pairs = sessionStorage.getItem(NAME)?.match(/../g);
  return pairs == null ? undefined : Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
}

export function forgetKey(): void {
  sessionStorage.removeItem(NAME);
}
