import { prepareCoinbase } from './client.js';

const SIGNED_AT = Date.UTC(2030, 0, 1) / 1_000;
const claims = Buffer.from(JSON.stringify({ nbf: SIGNED_AT - 5, exp: SIGNED_AT + 6 })).toString('base64url');

/** Returns what becomes of a 401 that the exchange sent some seconds after a request was signed. */
function refusalAfter(seconds: number): string {
  const client = {
    handleErrors: (..._response: readonly unknown[]): unknown => {
      throw new Error('wrong credentials');
    },
  };
  prepareCoinbase(client);
  const date = new Date((SIGNED_AT + seconds) * 1_000).toUTCString();
  const sent = { Authorization: `Bearer header.${claims}.signature` };
  try {
    client.handleErrors(401, '', '', 'POST', { date }, '', undefined, sent, '');
    return 'none';
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : 'no error';
  }
}

describe('tokens that coinbase refuses', () => {
  it.each([-5, 0, 5])('are of wrong credentials if they were valid: %d s', (seconds) => {
    expect(refusalAfter(seconds)).toBe('Error: wrong credentials');
  });

  it.each([-6, 6, 3_600])(
    'are outdated if they were not valid at the time of the answer: %d s',
    (seconds) => {
      expect(refusalAfter(seconds)).toBe('InvalidNonce: an outdated token');
    },
  );
});
