/**
 * The end of every deprecated way of signing in: tokens, or the question for a second factor.
 *
 * 1. A user with a second factor gets a ticket in place of tokens, whichever way they came; but by a passkey, which
 *    verifies its user each time: it is two factors.
 */
import type { Tx } from '@trading-automation/persistence';
import type { SecondFactorService, Ticket } from './second-factor.service.js';
import type { IssuedTokens, SessionsService, SignInMethod } from './sessions.service.js';

export type SignInResult =
  | { readonly kind: 'tokens'; readonly tokens: IssuedTokens }
  /** A second factor is asked for: `SecondFactorService.verify` takes the ticket with a code. */
  | ({ readonly kind: 'ticket' } & Ticket);

export class SignInService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly secondFactor: SecondFactorService,
  ) {}

  /** For a user who proved who they are in this way. */
  async complete(tx: Tx, userId: string, how: SignInMethod): Promise<SignInResult> {
    if (how !== 'passkey' && (await this.secondFactor.isRequired(tx, userId))) {
      return { kind: 'ticket', ...(await this.secondFactor.issueTicket(tx, userId, how)) };
    }
    return { kind: 'tokens', tokens: await this.sessions.open(tx, userId, how) };
  }
}
