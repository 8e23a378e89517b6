export interface Credential {
  readonly id: string;
  readonly name: string;
}

const END_LENGTH = 5;

/** Returns the options of the filter. A name that several credentials have is followed by the end of the id. */
export const credentialOptions = (credentials: readonly Credential[]) =>
  credentials.map(({ id, name }) => ({
    value: id,
    label:
      credentials.filter((other) => other.name === name).length > 1
        ? `${name} (…${id.slice(-END_LENGTH)})`
        : name,
  }));
