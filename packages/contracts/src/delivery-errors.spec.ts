import {
  DEAD_LETTER_REASONS,
  DELIVERY_ERRORS,
  DELIVERY_REASONS,
  deadLetterFailureOf,
  deliveryErrorOf,
  deliveryFailureOf,
} from './index.js';

describe('the reasons for failed deliveries', () => {
  it('contain each class, because attempts of earlier releases store only the class', () => {
    for (const error of DELIVERY_ERRORS) expect(deliveryErrorOf(error)).toBe(error);
  });

  it.each(DEAD_LETTER_REASONS)(
    'explain %s in sentences that contain no placeholder and no code',
    (reason) => {
      const { last_error_message: message = '' } = deadLetterFailureOf(reason) ?? {};
      expect(message).toMatch(/^[A-Z].{20,}\.$/);
      expect(message).not.toMatch(/[_{}<>$]|undefined/);
    },
  );

  it('have different sentences', () => {
    const messages = DELIVERY_REASONS.map((reason) => deliveryFailureOf(reason)?.error_message);
    expect(new Set(messages).size).toBe(DELIVERY_REASONS.length);
  });

  it('return the class, the reason and the sentences', () => {
    expect(deliveryFailureOf('certificate_self_signed')).toEqual({
      error: 'tls_error',
      error_reason: 'certificate_self_signed',
      error_message:
        'The receiver has a self-signed certificate. Install a certificate of a public certificate authority.',
    });
  });

  it('are omitted if a later release stored a reason that this release does not know', () => {
    for (const unknown of ['quic_only', '__proto__', 'constructor', '']) {
      expect(deliveryFailureOf(unknown)).toBeUndefined();
      expect(deadLetterFailureOf(unknown)).toBeUndefined();
    }
  });
});
