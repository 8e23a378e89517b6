import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const NEW_CREDENTIAL = 0x40;
/** The attestation format and its statement in CBOR: {} */
const NO_ATTESTATION: [string, Buffer] = ['none', Buffer.from([0xa0])];

/** Overrides of the values that a page, or an attacker, makes the authenticator report. */
export interface AuthenticatorOverrides {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly isUserVerified?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
  /** Adds an unrequested attestation, with a signature over other data. */
  readonly hasForgedAttestation?: boolean;
}

export interface AuthenticatorOptions {
  readonly origin: string;
  readonly rpId: string;
  /** False for an authenticator that always reports the count 0, as synced passkeys do. */
  readonly isCounting?: boolean;
}

/** A browser and its authenticator, with one passkey (WebAuthn Level 3, ES256, no attestation). */
export class VirtualAuthenticator {
  readonly credentialId = randomBytes(32);
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private userHandle = '';
  private counter = 0;

  constructor(private readonly options: AuthenticatorOptions) {}

  /** Returns the JSON result of `navigator.credentials.create`. */
  create(
    { challenge, user }: { challenge: string; user: { id: string } },
    overrides: AuthenticatorOverrides = {},
  ) {
    this.userHandle = user.id;
    const idLength = Buffer.alloc(2);
    idLength.writeUInt16BE(this.credentialId.length);
    const credential = Buffer.concat([Buffer.alloc(16), idLength, this.credentialId, this.coseKey()]);
    const authData = Buffer.concat([this.authenticatorData(NEW_CREDENTIAL, overrides), credential]);
    const [format, statement] = overrides.hasForgedAttestation ? this.forgedAttestation() : NO_ATTESTATION;
    const authDataLength = Buffer.alloc(2);
    authDataLength.writeUInt16BE(authData.length);
    // CBOR: {"fmt": text, "attStmt": map, "authData": bytes}
    const parts = [[0xa3], text('fmt'), text(format), text('attStmt'), statement, text('authData'), [0x59]];
    const attestationObject = Buffer.concat([
      ...parts.map((part) => Buffer.from(part)),
      authDataLength,
      authData,
    ]);
    return this.toCredential({
      clientDataJSON: clientData('webauthn.create', challenge, { ...this.options, ...overrides }),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Returns the JSON result of `navigator.credentials.get`. */
  get({ challenge }: { challenge: string }, overrides: AuthenticatorOverrides = {}) {
    const clientDataJSON = clientData('webauthn.get', challenge, { ...this.options, ...overrides });
    const authData = this.authenticatorData(0, overrides);
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    return this.toCredential({
      clientDataJSON,
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', Buffer.concat([authData, hash]), this.keys.privateKey).toString('base64url'),
      userHandle: overrides.userHandle ?? this.userHandle,
    });
  }

  private toCredential<T>(response: T) {
    const id = this.credentialId.toString('base64url');
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  private authenticatorData(
    flags: number,
    { rpId, isUserVerified = true, counter }: AuthenticatorOverrides,
  ): Buffer {
    if (this.options.isCounting !== false) this.counter++;
    const numbers = Buffer.alloc(5);
    numbers.writeUInt8(flags | USER_PRESENT | (isUserVerified ? USER_VERIFIED : 0));
    numbers.writeUInt32BE(counter ?? this.counter, 1);
    const rpIdHash = createHash('sha256')
      .update(rpId ?? this.options.rpId)
      .digest();
    return Buffer.concat([rpIdHash, numbers]);
  }

  /** CBOR: {"alg": -7, "sig": bytes} */
  private forgedAttestation(): [string, Buffer] {
    const signature = sign('sha256', Buffer.from('something else'), this.keys.privateKey);
    const head = [[0xa2], text('alg'), [0x26], text('sig'), [0x58, signature.length]];
    return ['packed', Buffer.concat([...head.map((part) => Buffer.from(part)), signature])];
  }

  /** CBOR: {1: 2, 3: -7, -1: 1, -2: x, -3: y} */
  private coseKey(): Buffer {
    const { x = '', y = '' } = this.keys.publicKey.export({ format: 'jwk' });
    return Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
      Buffer.from(x, 'base64url'),
      Buffer.from([0x22, 0x58, 0x20]),
      Buffer.from(y, 'base64url'),
    ]);
  }
}

/** Encodes a string of less than 24 bytes in CBOR. */
function text(content: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + content.length]), Buffer.from(content)]);
}

function clientData(type: string, challenge: string, overrides: AuthenticatorOverrides): string {
  const { origin, crossOrigin = false } = overrides;
  const members = {
    type: overrides.type ?? type,
    challenge: overrides.challenge ?? challenge,
    origin,
    crossOrigin,
  };
  return Buffer.from(JSON.stringify(members)).toString('base64url');
}
