import { readSignatureHeaders, SIGNATURE_HEADER_NAMES, type SignatureHeaders } from './signature-headers.js';

const headers: SignatureHeaders = {
  'x-svc-pubkey': `02${'ab'.repeat(32)}`,
  'x-svc-timestamp': '1767225600000',
  'x-svc-nonce': '0f'.repeat(16),
  'x-svc-sig': 'cd'.repeat(64),
};
const pairs = Object.entries(headers);
const expected = {
  kind: 'present',
  publicKey: headers['x-svc-pubkey'],
  timestamp: '1767225600000',
  timestampMs: 1_767_225_600_000,
  nonce: headers['x-svc-nonce'],
  signature: headers['x-svc-sig'],
};

describe('readSignatureHeaders', () => {
  it.each([
    ['flat raw headers', ['Host', 'x', ...pairs.flat()]],
    ['pairs', [['Host', 'x'] as const, ...pairs]],
    ['an object, as in connection_init', { other: 1, ...headers }],
    ['names in another case', pairs.map(([name, value]) => [name.toUpperCase(), value] as const)],
  ])('reads %s', (_, source) => {
    expect(readSignatureHeaders(source)).toEqual(expected);
  });

  it.each([[[]], [['Authorization', 'Bearer x', 'x-svc-webhook-id', 'y']], [{}]])(
    'returns "absent" if none of the four headers is present',
    (source) => {
      expect(readSignatureHeaders(source)).toEqual({ kind: 'absent' });
    },
  );

  it.each(SIGNATURE_HEADER_NAMES)(
    'rejects a repeated %s, even with the same value and in another case',
    (header) => {
      const repeated: [string, string] = [header.toUpperCase(), headers[header]];
      const malformed = { kind: 'malformed', header };
      expect(readSignatureHeaders([...pairs, repeated])).toMatchObject(malformed);
      expect(readSignatureHeaders([...pairs.flat(), ...repeated])).toMatchObject(malformed);
      expect(readSignatureHeaders({ ...headers, [repeated[0]]: repeated[1] })).toMatchObject(malformed);
    },
  );

  it.each(SIGNATURE_HEADER_NAMES)('rejects a request that lacks only %s', (header) => {
    const others = pairs.filter(([name]) => name !== header);
    expect(readSignatureHeaders(others)).toMatchObject({ kind: 'malformed', header });
  });

  it.each([null, undefined, 1_767_225_600_000, true, ['1767225600000'], { a: 1 }])(
    'rejects a value that is not a string: %j',
    (value) => {
      const source = { ...headers, 'x-svc-timestamp': value };
      expect(readSignatureHeaders(source)).toMatchObject({ kind: 'malformed', header: 'x-svc-timestamp' });
    },
  );

  it('rejects a trailing newline in any value', () => {
    for (const header of SIGNATURE_HEADER_NAMES) {
      const source = { ...headers, [header]: `${headers[header]}\n` };
      expect(readSignatureHeaders(source)).toMatchObject({ kind: 'malformed', header });
    }
  });

  it.each([
    ['x-svc-pubkey', 'that is uncompressed', `04${'ab'.repeat(64)}`],
    ['x-svc-pubkey', 'that begins with 04', `04${'ab'.repeat(32)}`],
    ['x-svc-pubkey', 'in upper case', `02${'AB'.repeat(32)}`],
    ['x-svc-pubkey', 'that is too long', `02${'ab'.repeat(33)}`],
    ['x-svc-timestamp', 'with a sign', '+1767225600000'],
    ['x-svc-timestamp', 'with an exponent', '1e12'],
    ['x-svc-timestamp', 'with a fraction', '1767225600000.5'],
    ['x-svc-timestamp', 'in hexadecimal', '0x19b76e3d800'],
    ['x-svc-timestamp', 'with a space', ' 1767225600000'],
    ['x-svc-timestamp', 'of 17 digits', '00001767225600000'],
    ['x-svc-timestamp', 'that is empty', ''],
    ['x-svc-nonce', 'of 15 bytes', '0f'.repeat(15)],
    ['x-svc-nonce', 'of 17 bytes', '0f'.repeat(17)],
    ['x-svc-nonce', 'in upper case', '0F'.repeat(16)],
    ['x-svc-sig', 'in DER', `3044${'0220'.concat('cd'.repeat(32)).repeat(2)}`],
    ['x-svc-sig', 'of 63 bytes', 'cd'.repeat(63)],
    ['x-svc-sig', 'in upper case', 'CD'.repeat(64)],
  ] as const)('rejects an %s %s', (header, _form, value) => {
    expect(readSignatureHeaders({ ...headers, [header]: value })).toMatchObject({
      kind: 'malformed',
      header,
    });
  });

  it('does not repeat a header value in the result for a malformed header', () => {
    const reading = readSignatureHeaders({ ...headers, 'x-svc-sig': 'SECRET' });
    expect(JSON.stringify(reading)).not.toContain('SECRET');
  });

  it('throws a TypeError for a flat list of odd length', () => {
    expect(() => readSignatureHeaders(['x-svc-sig'])).toThrow(TypeError);
  });
});

describe('the reason of a malformed header', () => {
  const reasonOf = (source: Parameters<typeof readSignatureHeaders>[0]) => {
    const reading = readSignatureHeaders(source);
    return reading.kind === 'malformed' ? reading.reason : reading.kind;
  };

  it.each([
    ['x-svc-pubkey', 'a compressed public key is 66 lower-case hex characters beginning with 02 or 03'],
    ['x-svc-timestamp', 'a timestamp is Unix time in milliseconds, digits only'],
    ['x-svc-nonce', 'a nonce is 32 lower-case hex characters'],
    ['x-svc-sig', 'a signature is r then s, 128 lower-case hex characters, not DER'],
  ])('is the rule of %s', (header, reason) => {
    expect(reasonOf({ ...headers, [header]: 'x' })).toBe(reason);
  });

  it('says that a header is missing or was repeated', () => {
    expect(reasonOf(pairs.slice(1))).toBe('it is missing, although another x-svc-* header was sent');
    expect(reasonOf([...pairs, pairs[0]!])).toBe('it was sent more than once');
  });
});

describe('the form of a header', () => {
  const kindOf = (header: keyof SignatureHeaders, value: string) =>
    readSignatureHeaders({ ...headers, [header]: value }).kind;

  it.each([
    ['x-svc-pubkey', `03${'ab'.repeat(32)}`, 'present'],
    ['x-svc-pubkey', `04${'ab'.repeat(32)}`, 'malformed'],
    ['x-svc-pubkey', `102${'ab'.repeat(31)}a`, 'malformed'],
    ['x-svc-pubkey', `02${'AB'.repeat(32)}`, 'malformed'],
    ['x-svc-pubkey', `02${'ab'.repeat(31)}`, 'malformed'],
    ['x-svc-pubkey', `02${'ab'.repeat(33)}`, 'malformed'],
    ['x-svc-timestamp', '0', 'present'],
    ['x-svc-timestamp', '9007199254740991', 'present'],
    ['x-svc-timestamp', '9007199254740992', 'malformed'],
    ['x-svc-timestamp', '00000000000000001', 'malformed'],
    ['x-svc-timestamp', '', 'malformed'],
    ['x-svc-timestamp', '-1', 'malformed'],
    ['x-svc-timestamp', '1x', 'malformed'],
    ['x-svc-timestamp', 'x1', 'malformed'],
    ['x-svc-nonce', '0f'.repeat(15), 'malformed'],
    ['x-svc-nonce', '0f'.repeat(17), 'malformed'],
    ['x-svc-sig', 'cd'.repeat(63), 'malformed'],
    ['x-svc-sig', 'cd'.repeat(65), 'malformed'],
  ] as const)('%s: %s is %s', (header, value, kind) => {
    expect(kindOf(header, value)).toBe(kind);
  });

  it('is read from pairs and from a flat list of another length, too', () => {
    expect(readSignatureHeaders([['x-svc-sig', 'x']])).toMatchObject({ header: 'x-svc-pubkey' });
    expect(() => readSignatureHeaders(['Host', 'x', 'x-svc-sig'])).toThrow(
      new TypeError('Raw headers must be pairs of name and value.'),
    );
  });
});
