/**
 * Selects the engine that verifies signatures: the fastest available library. A process calls it once, at its start, and
 * logs the skipped engines with the reasons.
 */
import {
  assertKnownAnswers,
  type EngineName,
  EngineUnavailableError,
  type MessageSigner,
  type VerifyEngine,
} from './engine.js';
import { openLibsecp256k1Engine } from './engines/libsecp256k1.js';
import { nobleEngine } from './engines/noble.js';
import { openNodeCryptoEngine } from './engines/node-crypto.js';

/** The names of the engines, fastest first. */
export const ENGINE_NAMES: readonly EngineName[] = ['libsecp256k1', 'node:crypto', 'noble'];

export interface PickedEngine {
  readonly engine: VerifyEngine;
  /** libsecp256k1 if it was selected, otherwise noble, because OpenSSL cannot sign with deterministic nonces. */
  readonly signer: MessageSigner;
  /** The faster or preferred engines that are unavailable. */
  readonly passedOver: readonly { readonly name: EngineName; readonly reason: string }[];
}

export interface OpenedEngine {
  readonly engine: VerifyEngine;
  readonly signer: MessageSigner;
}

/** @throws EngineUnavailableError if the library is missing or fails the known-answer test */
export type EngineLoader = () => OpenedEngine;

const LOADERS: Readonly<Record<EngineName, EngineLoader>> = {
  libsecp256k1: () => {
    const engine = openLibsecp256k1Engine();
    return { engine, signer: engine };
  },
  'node:crypto': () => ({ engine: openNodeCryptoEngine(), signer: nobleEngine }),
  noble: () => ({ engine: assertKnownAnswers(nobleEngine), signer: nobleEngine }),
};

/**
 * Opens one engine by name, without a fallback.
 *
 * @throws EngineUnavailableError if its library is missing or fails the known-answer test
 */
export function openEngine(name: EngineName): VerifyEngine {
  return LOADERS[name]().engine;
}

/**
 * Opens the fastest available engine. `prefer` is tried first; if it is unavailable, the usual order applies.
 *
 * @param options.load replaces the loaders of single engines
 * @throws Error with the reason of each engine if all are unavailable
 * @example
 * const { engine, passedOver } = pickEngine();
 * log.info({ engine: engine.name, passedOver }, 'signature engine picked');
 */
export function pickEngine(
  options: {
    readonly prefer?: EngineName;
    readonly load?: Readonly<Partial<Record<EngineName, EngineLoader>>>;
  } = {},
): PickedEngine {
  const { prefer } = options;
  const loaders = { ...LOADERS, ...options.load };
  const order =
    prefer === undefined ? ENGINE_NAMES : [prefer, ...ENGINE_NAMES.filter((name) => name !== prefer)];
  const passedOver: { name: EngineName; reason: string }[] = [];
  for (const name of order) {
    try {
      return { ...loaders[name](), passedOver };
    } catch (error) {
      if (!(error instanceof EngineUnavailableError)) throw error;
      passedOver.push({ name, reason: error.reason });
    }
  }
  throw new Error(`no signature engine is available: ${JSON.stringify(passedOver)}`);
}
