import { randomBytes } from 'node:crypto';
import { marginIdOf } from '../../engine/margin/margin-account.rules.js';
import { VENUE_ERRORS } from '../../errors.js';
import { accountOperation, type Operation } from '../operation.js';
import { integerOf } from '../params.js';
import { assertCross } from './margin-operations.js';

const MAX_VALID_MS = 24 * 60 * 60_000;

interface ListenToken {
  readonly accountId: string;
  readonly expirationTime: number;
}

/**
 * The tokens by which connections of the WebSocket API subscribe to the user events of margin accounts. A new token of an
 * account does not end its earlier ones, as at the venue.
 */
export class MarginListenTokens {
  private readonly byToken = new Map<string, ListenToken>();

  constructor(private readonly now: () => number) {}

  /** Creates a token that is valid for `validMs`. Forgets tokens that have expired. */
  open(accountId: string, validMs: number): { readonly token: string; readonly expirationTime: number } {
    for (const [token, { expirationTime }] of this.byToken)
      if (expirationTime <= this.now()) this.byToken.delete(token);
    const token = randomBytes(32).toString('hex');
    const expirationTime = this.now() + validMs;
    this.byToken.set(token, { accountId, expirationTime });
    return { token, expirationTime };
  }

  /** @throws VenueError -1125 for an unknown or expired token */
  find(token: string): ListenToken {
    const found = this.byToken.get(token);
    if (found === undefined || found.expirationTime <= this.now()) throw VENUE_ERRORS.invalidListenToken();
    return found;
  }
}

/** Declares the operation that creates a token for the cross margin account of a user. */
export function listenTokenOperations(tokens: MarginListenTokens): Operation[] {
  return [
    accountOperation(
      'POST /sapi/v1/userListenToken',
      { params: ['symbol', 'isIsolated', 'validity'], access: 'KEY' },
      ({ account, params }) => {
        assertCross(params);
        const validMs = integerOf(params, 'validity') ?? MAX_VALID_MS;
        if (validMs < 1 || validMs > MAX_VALID_MS) throw VENUE_ERRORS.invalidValue('validity');
        return tokens.open(marginIdOf(account.id), validMs);
      },
    ),
  ];
}
