import { guideOf, permissionsOf, rejectionAdvice } from './credentials.rules';

const exchange = (id: string, credentials: object) => ({
  id,
  name: 'Sample Exchange',
  credentials: { secret: 'HMAC_SECRET' as const, has_passphrase: false, permissions: [], ...credentials },
});

it('the advice after rejected credentials names only the fields that the exchange has', () => {
  expect(rejectionAdvice(exchange('paper', {}))).toBe('Check the API key and the API secret.');
  expect(rejectionAdvice(exchange('other', { has_passphrase: true }))).toBe(
    'Check the API key, the API secret and the passphrase. Then check the permissions and the IP allow list of the key at Sample Exchange.',
  );
  expect(rejectionAdvice(exchange('other', { secret: 'EC_PRIVATE_KEY' }))).toMatch(
    /^Check the API key and the private key\. Then /,
  );
});

it('the permissions of a key are those of the trading type, in the words of the exchange', () => {
  const spot = {
    trading_type: 'spot',
    needed: ['Spot trade'],
    refused: ['Wallet'],
    notes: ['No subaccount.'],
  };
  const other = exchange('other', { permissions: [spot] });
  expect(permissionsOf(other, 'spot')).toEqual(spot);
  expect(permissionsOf(other, 'margin')).toMatchObject({
    refused: ['Withdraw', 'Transfer to other accounts'],
  });
});

it('the page about an exchange is linked if the installation has documentation', () => {
  expect(guideOf('other', 'https://docs.example')).toBe('https://docs.example/venues/other');
  expect(guideOf('other', undefined)).toBeUndefined();
  expect(guideOf('paper', 'https://docs.example')).toBeUndefined();
});
