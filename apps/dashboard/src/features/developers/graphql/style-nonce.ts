/**
 * Gives the style elements that the editor creates the nonce of the page, so that the content security policy needs no
 * 'unsafe-inline' for them.
 */
export function giveStylesTheNonce(): () => void {
  const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce;
  if (nonce === undefined || nonce === '') return () => undefined;
  const create = document.createElement;
  const withNonce = function (this: Document, name: string, options?: ElementCreationOptions) {
    const element = create.call(this, name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    return element;
  };
  document.createElement = withNonce as typeof document.createElement;
  return () => {
    document.createElement = create;
  };
}
