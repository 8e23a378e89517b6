import { wordsOf } from '../../../format/words';

const ACRONYMS = /\b(?:dns|tls|http2?|url)\b/gi;

/** Returns the reason of a failed attempt in words: `dns_name_not_found` is "DNS name not found". */
function reasonWords(reason: string): string {
  return wordsOf(reason).replace(ACRONYMS, (word) => word.toUpperCase().replace('HTTP2', 'HTTP/2'));
}

export interface Failure {
  readonly reason: string | undefined;
  readonly statusCode: number | undefined;
}

/** Describes a failure in a few words: "HTTP status 500", "DNS name not found". Undefined without a reason. */
export function failureWords({ reason, statusCode }: Failure): string | undefined {
  if (reason === undefined) return undefined;
  const words = reasonWords(reason);
  if (statusCode === undefined) return words;
  return reason === 'http_status' ? `${words} ${statusCode}` : `${words}, status ${statusCode}`;
}

/** Part of the published interface: a receiver must respond within this time. */
const ATTEMPT_SECONDS = 30;

/** Adds the value of the time limit to an explanation of the API that mentions it. */
export const withTimeLimit = (message: string): string =>
  message.replace('time limit', `time limit of ${ATTEMPT_SECONDS} s`);
