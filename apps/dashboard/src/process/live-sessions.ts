import { type LiveConnection, LiveSession, type LiveTab } from './live-session.js';

const SESSIONS_MAX = 10_000;
const TABS_MAX = 20;

/** The live sessions of this process, at most one for each browser session. */
export class LiveSessions {
  private readonly sessions = new Map<string, LiveSession>();

  /** Adds a tab to its session. Returns a function that removes it; undefined if there are too many tabs. */
  join(id: string, connection: LiveConnection, tab: LiveTab): (() => void) | undefined {
    let session = this.sessions.get(id);
    if (session === undefined) {
      if (this.sessions.size >= SESSIONS_MAX) return undefined;
      const created = new LiveSession(connection, () => {
        if (this.sessions.get(id) === created) this.sessions.delete(id);
      });
      session = created;
      this.sessions.set(id, session);
    }
    return session.size < TABS_MAX ? session.join(tab) : undefined;
  }

  end(): void {
    for (const session of this.sessions.values()) session.end();
  }
}
