/** Returns what is wrong with the URL of a receiver, as far as the browser can decide; the API checks the rest. */
export function urlProblem(text: string): string | undefined {
  const url = text.trim();
  if (url === '') return 'Enter the URL of your receiver.';
  if (!URL.canParse(url)) return 'The URL must be complete, such as https://example.com/hook.';
  if (!['https:', 'http:'].includes(new URL(url).protocol))
    return 'The URL must begin with https:// or http://.';
  return undefined;
}

/** Returns a message of the API about the field `url` as a sentence about the label "URL". */
export const aboutUrl = (message: string): string => message.replace(/^url\b/, 'The URL');
