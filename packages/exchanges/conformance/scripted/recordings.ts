/** The recorded answers and stream messages of a venue, `dialect/recordings.json` of its folder. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const recordings = z.object({
  venue: z.string(),
  source: z.string(),
  commit: z.string(),
  licence: z.string(),
  calls: z.array(z.looseObject({ name: z.string(), answer: z.string() })),
  streams: z.array(z.looseObject({ name: z.string(), frames: z.array(z.record(z.string(), z.string())) })),
});

export interface Recordings {
  /** Parsed answers by the name of the call. */
  readonly answers: ReadonlyMap<string, unknown>;
  /** Parsed messages by `<name of the stream>#<number of the venue's message, from 1 on>`. */
  readonly messages: ReadonlyMap<string, unknown>;
}

export function readRecordings(file: URL): Recordings {
  const { calls, streams } = recordings.parse(JSON.parse(readFileSync(file, 'utf8')));
  const answers = calls.flatMap(({ name, answer }) => {
    const parsed = parse(answer);
    return parsed === undefined ? [] : [[name, parsed] as const];
  });
  const messages = streams.flatMap(({ name, frames }) =>
    frames
      .flatMap(({ acknowledged, told }) => acknowledged ?? told ?? [])
      .map((text, i) => [`${name}#${i + 1}`, parse(text)] as const),
  );
  return { answers: new Map(answers), messages: new Map(messages) };
}

/** Recordings write `|1|` for the number of a request. */
const REQUEST_NUMBER = /:\s*\|\w+\|/g;

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(REQUEST_NUMBER, ':0'));
  } catch {
    return undefined;
  }
}
