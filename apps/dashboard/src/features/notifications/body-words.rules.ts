/**
 * Words the texts of notifications for a person. The API writes them for programs, too: with the codes and names of fields
 * of its records. A notification has no other data than its text and the id of its record.
 */
import { wordsOf } from '../../format/words';

const STOPS: Readonly<Record<string, string>> = {
  USER: 'you stopped it',
  DAILY_LOSS: 'its limit of the daily loss was reached',
  DRAWDOWN: 'its limit of the drawdown was reached',
  CREDENTIALS: 'the exchange refused the credentials of its account',
  STRATEGY_ARCHIVED: 'its strategy was archived',
};

const SIDES: Readonly<Record<string, string>> = { BUY: 'buy', SELL: 'sell' };

const DIGITS = /\d[\d.]*/g;

/** A decimal of the API ends with zeros up to its precision. The point that ends a sentence stays. */
const trimmed = (text: string) => text.replace(DIGITS, withoutZeros);

function withoutZeros(digits: string): string {
  const [whole = '', fraction, ...rest] = digits.split('.');
  const isSentenceEnd = rest.length === 1 && rest[0] === '';
  if (fraction === undefined || fraction === '' || (rest.length > 0 && !isSentenceEnd)) return digits;
  let end = fraction.length;
  while (fraction[end - 1] === '0') end -= 1;
  return `${whole}${end === 0 ? '' : '.'}${fraction.slice(0, end)}${isSentenceEnd ? '.' : ''}`;
}

const WORDINGS: Readonly<Record<string, (body: string) => string>> = {
  trade: (body) =>
    trimmed(body).replace(/^Trade (BUY|SELL) /, (_, side: string) => `The order to ${SIDES[side]} `),
  copier: (body) =>
    body
      .replace(/ was stopped \(([A-Z_]+)\)\./, (all, code: string) =>
        STOPS[code] === undefined ? all : ` was stopped: ${STOPS[code]}.`,
      )
      .replace(
        /^(A copier skipped a trade of its strategy): ([A-Z_]+)\.$/,
        (_, start: string, code: string) => `${start}: ${wordsOf(code).toLowerCase()}.`,
      ),
  webhook: (body) =>
    body.replace(/\bset is_active to true\b/, 'activate it').replace('is_active to true', 'activate it'),
  strategy: (body) =>
    body
      .replace('the sizing mode MULTIPLIER', 'the sizing mode Multiplier')
      .replace('need allow_multiplier', 'need your consent in the settings of the strategy'),
};

/** Returns the text of a notification in plain words; the text of the API if it has no such parts. */
export function bodyWords(kind: string, body: string): string {
  const subject = kind.slice(0, kind.indexOf('.'));
  return Object.hasOwn(WORDINGS, subject) ? WORDINGS[subject]!(body) : body;
}
