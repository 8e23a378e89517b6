import type { Version, World } from '@trading-automation/contracts';

/** Which build answers, and for which world. */
export class BuildInfo {
  constructor(
    private readonly release: string,
    private readonly commit: string,
    private readonly world: World,
  ) {}

  version(): Version {
    return { version: this.release, commit: this.commit, api: 'v1', world: this.world };
  }
}
