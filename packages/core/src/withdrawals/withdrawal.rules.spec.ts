import {
  addressRefusal,
  addressStatusOf,
  payoutRefusal,
  type RequestFacts,
  requestRefusal,
  type WithdrawalPolicy,
} from './withdrawal.rules.js';

const now = new Date('2030-06-01T12:00:00.000Z');
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const TOKEN = '0x52908400098527886E0F7030069857D2E4169EE7';
const TREASURY = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const DENIED = '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb';

const live: WithdrawalPolicy = {
  world: 'live',
  holdHours: 24,
  dailyLimit: '100',
  tokenAddress: TOKEN,
  treasuryAddress: TREASURY,
  deniedAddresses: [DENIED],
};
const test: WithdrawalPolicy = { ...live, world: 'test', holdHours: 0, dailyLimit: null };
const facts: RequestFacts = {
  now,
  amount: '40',
  walletAddress: WALLET,
  addressStatus: 'ACTIVE',
  emailReplacedAt: null,
  withdrawnToday: '60',
  credentialIssuedAt: hoursAgo(24),
};
const refusal = (more: Partial<RequestFacts>, policy = live) => requestRefusal(policy, { ...facts, ...more });

describe('a withdrawal in the live world', () => {
  it('is accepted if every rule allows it', () => {
    expect(refusal({})).toBeNull();
  });

  it.each(['PENDING', 'HELD', null] as const)(
    'is refused to an address whose status is %s',
    (addressStatus) => {
      expect(refusal({ addressStatus })).toMatchObject({
        code: 'validation_failed',
        details: [{ field: 'wallet_address', code: 'address_not_active' }],
      });
    },
  );

  it('is refused until the hold time after a change of the e-mail address has passed', () => {
    expect(refusal({ emailReplacedAt: hoursAgo(23.999) })).toMatchObject({
      code: 'invalid_state',
      details: [{ code: 'email_recently_changed', usable_at: '2030-06-01T12:00:03.600Z' }],
    });
    expect(refusal({ emailReplacedAt: hoursAgo(24) })).toBeNull();
  });

  it('is refused if it exceeds what is left of the daily limit, and the error says how much is left', () => {
    expect(refusal({ amount: '40.000000000000000001' })).toMatchObject({
      code: 'limit_reached',
      details: [{ field: 'amount', code: 'limit_reached', limit: '100', remaining: '40' }],
    });
    expect(refusal({ withdrawnToday: '130' })).toMatchObject({ details: [{ remaining: '0' }] });
  });

  it('is refused to a credential younger than 24 hours, or unknown', () => {
    for (const credentialIssuedAt of [hoursAgo(23.999), now, null])
      expect(refusal({ credentialIssuedAt })).toMatchObject({
        code: 'permission_denied',
        details: [{ code: 'credential_too_new' }],
      });
  });

  it('is judged again at the payout, without the age of the credential', () => {
    const { credentialIssuedAt: _age, ...payout } = facts;
    expect(payoutRefusal(live, payout)).toBeNull();
    expect(payoutRefusal(live, { ...payout, addressStatus: null })).toMatchObject({
      details: [{ code: 'address_not_active' }],
    });
  });
});

describe('a withdrawal in the test world', () => {
  it('is accepted to every valid address, by every credential', () => {
    for (const addressStatus of ['PENDING', 'HELD', null] as const)
      expect(refusal({ addressStatus, credentialIssuedAt: null }, test)).toBeNull();
  });
});

describe('an address that receives no payout', () => {
  it.each([
    ['zero_address', `0x${'0'.repeat(40)}`],
    ['token_address', TOKEN],
    ['treasury_address', TREASURY],
    ['denied_address', DENIED],
  ])('is refused with the code %s, in any case and in both worlds', (code, address) => {
    for (const policy of [live, test])
      for (const spelling of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`])
        expect(refusal({ walletAddress: spelling }, policy)).toMatchObject({
          code: 'validation_failed',
          details: [{ field: 'wallet_address', code }],
        });
  });

  it('is refused by the name of the given field', () => {
    expect(addressRefusal(live, TOKEN, 'address')).toMatchObject({ details: [{ field: 'address' }] });
  });
});

describe('the status of an address', () => {
  it.each([
    ['PENDING', null, null],
    ['HELD', hoursAgo(1), new Date(now.getTime() + 1)],
    ['ACTIVE', hoursAgo(24), now],
  ] as const)('is %s', (status, confirmedAt, usableAt) => {
    expect(addressStatusOf({ confirmedAt, usableAt }, now)).toBe(status);
  });
});
