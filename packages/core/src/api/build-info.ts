import type { Version, World } from '@trading-automation/contracts';

/** The running build and its world. */
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
