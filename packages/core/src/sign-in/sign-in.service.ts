/**
 * Completes every deprecated sign-in method, with tokens or with a ticket for the second factor.
 *
 * A user with a second factor gets a ticket instead of tokens. A sign-in by passkey is the exception: it always
 * verifies the user and thus already proves two factors.
 */
import type { Tx } from '@trading-automation/persistence';
import type { SecondFactorService, Ticket } from './second-factor.service.js';
import type { IssuedTokens, SessionsService, SignInMethod } from './sessions.service.js';

export type SignInResult =
  | { readonly kind: 'tokens'; readonly tokens: IssuedTokens }
  /** A second factor is required: `SecondFactorService.verify` takes the ticket and a code. */
  | ({ readonly kind: 'ticket' } & Ticket);

export class SignInService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly secondFactor: SecondFactorService,
  ) {}

  /** Completes the sign-in of a user who authenticated with the method. */
  async complete(tx: Tx, userId: string, method: SignInMethod): Promise<SignInResult> {
    if (method !== 'passkey' && (await this.secondFactor.isRequired(tx, userId))) {
      return { kind: 'ticket', ...(await this.secondFactor.issueTicket(tx, userId, method)) };
    }
    return { kind: 'tokens', tokens: await this.sessions.open(tx, userId, method) };
  }
}
