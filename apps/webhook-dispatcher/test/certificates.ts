/** Generates certificates at run time, so that none is committed. */
import { generate } from 'selfsigned';

const DAY_MS = 86_400_000;

/**
 * Creates an authority with three certificates (a valid one, an expired one and one for another name), and a
 * self-signed certificate.
 */
export async function makeCertificates() {
  const authority = await issue('Authority of a test', { isAuthority: true });
  const ca = { key: authority.private, cert: authority.cert };
  const expired = {
    notBeforeDate: new Date(Date.now() - 2 * DAY_MS),
    notAfterDate: new Date(Date.now() - DAY_MS),
  };
  const [valid, old, other, selfSigned] = await Promise.all([
    issue('localhost', { ca }),
    issue('localhost', { ca, ...expired }),
    issue('hooks.example.com', { ca }),
    issue('localhost'),
  ]);
  const pairOf = ({ private: key, cert }: { private: string; cert: string }) => ({ key, cert });
  return {
    authority: authority.cert,
    valid: pairOf(valid),
    expired: pairOf(old),
    otherName: pairOf(other),
    selfSigned: pairOf(selfSigned),
  };
}
export type Certificates = Awaited<ReturnType<typeof makeCertificates>>;

type Options = NonNullable<Parameters<typeof generate>[1]>;

function issue(name: string, { isAuthority = false, ...options }: Options & { isAuthority?: boolean } = {}) {
  return generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: isAuthority
      ? [
          { name: 'basicConstraints', cA: true, critical: true },
          { name: 'keyUsage', keyCertSign: true, digitalSignature: true },
        ]
      : [
          { name: 'basicConstraints', cA: false },
          { name: 'keyUsage', digitalSignature: true },
          { name: 'extKeyUsage', serverAuth: true },
          { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
        ],
    ...options,
  });
}
