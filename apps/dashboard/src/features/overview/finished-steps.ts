/**
 * Remembers in a cookie of this browser which account is done with its first steps, so that its overview loads at once what it
 * shows, instead of first asking what the account has.
 */
const YEAR_SECONDS = 365 * 86_400;

/** Returns the id of the account that is done, from the cookies of a request; undefined without one. */
export const accountDoneWithSteps = (cookies: string | null): string | undefined =>
  /(?:^|; *)first-steps=(\w+)/.exec(cookies ?? '')?.[1];

/** Stores that this account is done. */
export function storeStepsDone(userId: string): void {
  if (accountDoneWithSteps(document.cookie) === userId) return;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in all browsers
  document.cookie = `first-steps=${userId}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
}
