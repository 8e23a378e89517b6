import type { Permission } from '@trading-automation/contracts';

/** The credential that approves a browser session, with the rights and times that limit the session. */
export interface Approver {
  readonly kind: 'api_key' | 'public_key' | 'session';
  /** A uuid. */
  readonly id: string;
  readonly issuedAt: Date;
  readonly approvedAt: Date;
  readonly permissions: readonly Permission[];
  readonly ipAllowlist: readonly string[];
  /** When the approval ends: that of the credential, and at most 12 h after the approval. */
  readonly expiresAt: Date;
}
