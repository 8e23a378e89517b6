import { DELIVERY_REASONS } from '@trading-automation/contracts';
import { lookUpReasonOf, OutboundError, reasonOf } from './outbound-errors.js';

const withCode = (code: string, message = code) => Object.assign(new Error(message), { code });

describe('the reason for an error', () => {
  it.each([
    ['ENETUNREACH', 'network_unreachable'],
    ['EHOSTUNREACH', 'network_unreachable'],
    ['ECONNREFUSED', 'connect_refused'],
    ['CERT_NOT_YET_VALID', 'certificate_not_yet_valid'],
    ['CERT_REVOKED', 'certificate_invalid'],
    ['INVALID_PURPOSE', 'certificate_invalid'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate_untrusted'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate_untrusted'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'client_certificate_required'],
    ['ERR_SSL_TLSV1_UNRECOGNIZED_NAME', 'tls_name_unknown'],
    ['ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR', 'tls_error'],
    ['UND_ERR_SOCKET', 'closed_without_response'],
    ['ANYTHING_ELSE', 'internal'],
  ])('with the code %s is %s', (code, reason) => {
    expect(reasonOf(withCode(code))).toBe(reason);
    expect(DELIVERY_REASONS).toContain(reason);
  });

  it('is in the message if the code only names a protocol error', () => {
    const message =
      'write EPROTO 40:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:s3.c:1:';
    expect(reasonOf(withCode('EPROTO', message))).toBe('tls_not_spoken');
    expect(reasonOf(withCode('EPROTO'))).toBe('tls_error');
  });

  it('is that of the first error if each address failed', () => {
    const errors = [withCode('ECONNREFUSED'), withCode('ENETUNREACH')];
    expect(reasonOf(new AggregateError(errors))).toBe('connect_refused');
    expect(reasonOf(new OutboundError('blocked_address'))).toBe('blocked_address');
  });

  it.each([undefined, null, 'a string', {}, new Error('no code')])('is internal for %p', (error) => {
    expect(reasonOf(error)).toBe('internal');
    expect(lookUpReasonOf(error)).toBe('dns_error');
  });
});
