import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EngineUnavailableError } from './engine.js';
import { openLibsecp256k1Engine } from './engines/libsecp256k1.js';
import { nobleEngine } from './engines/noble.js';
import { ENGINE_NAMES, type EngineLoader, openEngine, pickEngine } from './pick-engine.js';

const missing =
  (name: (typeof ENGINE_NAMES)[number]): EngineLoader =>
  () => {
    throw new EngineUnavailableError(name, 'not installed');
  };

describe('pickEngine', () => {
  it('picks libsecp256k1 if its binary is present, and skips no engine', () => {
    const { engine, passedOver } = pickEngine();
    expect(engine.name).toBe('libsecp256k1');
    expect(passedOver).toEqual([]);
  });

  it('picks node:crypto if the native package is missing, and returns the reason', () => {
    const { engine, signer, passedOver } = pickEngine({ load: { libsecp256k1: missing('libsecp256k1') } });
    expect(engine.name).toBe('node:crypto');
    expect(signer).toBe(nobleEngine);
    expect(passedOver).toEqual([{ name: 'libsecp256k1', reason: 'not installed' }]);
  });

  it('picks noble if the native package is missing and OpenSSL lacks the curve', () => {
    const load = { libsecp256k1: missing('libsecp256k1'), 'node:crypto': missing('node:crypto') };
    const { engine, passedOver } = pickEngine({ load });
    expect(engine.name).toBe('noble');
    expect(passedOver.map(({ name }) => name)).toEqual(['libsecp256k1', 'node:crypto']);
  });

  it.each(ENGINE_NAMES)('picks %s if it is preferred', (prefer) => {
    expect(pickEngine({ prefer }).engine.name).toBe(prefer);
  });

  it('continues in the usual order if the preferred engine is missing', () => {
    const { engine, passedOver } = pickEngine({ prefer: 'noble', load: { noble: missing('noble') } });
    expect(engine.name).toBe('libsecp256k1');
    expect(passedOver).toEqual([{ name: 'noble', reason: 'not installed' }]);
  });

  it('names every engine in the error if all are unavailable', () => {
    const load = Object.fromEntries(ENGINE_NAMES.map((name) => [name, missing(name)]));
    expect(() => pickEngine({ load })).toThrow(/libsecp256k1.*node:crypto.*noble/);
  });

  it('rethrows errors other than a missing library', () => {
    const broken = () => {
      throw new RangeError('a defect');
    };
    expect(() => pickEngine({ load: { libsecp256k1: broken } })).toThrow(RangeError);
  });

  it('opens each engine by name, each as a separate object', () => {
    const engines = ENGINE_NAMES.map((name) => openEngine(name));
    expect(engines.map(({ name }) => name)).toEqual(ENGINE_NAMES);
    expect(new Set(engines).size).toBe(3);
  });
});

describe('the native package without a binary for this machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signed-request-'));
  const from = pathToFileURL(join(folder, 'index.js'));

  beforeAll(() => {
    const installed = dirname(realpathSync(createRequire(import.meta.url).resolve('secp256k1/package.json')));
    const modules = join(folder, 'node_modules');
    mkdirSync(modules);
    for (const file of ['package.json', 'index.js', 'bindings.js', 'elliptic.js', 'lib']) {
      cpSync(join(installed, file), join(modules, 'secp256k1', file), { recursive: true });
    }
    for (const dependency of ['elliptic', 'node-gyp-build']) {
      symlinkSync(realpathSync(join(installed, '..', dependency)), join(modules, dependency));
    }
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('still loads from its main entry, which then computes in JavaScript; the engine therefore does not use that entry', () => {
    expect(createRequire(from)('secp256k1')).toHaveProperty('ecdsaVerify');
  });

  it('does not count as libsecp256k1: pickEngine picks the next engine', () => {
    expect(() => openLibsecp256k1Engine(from)).toThrow(EngineUnavailableError);
    const load: EngineLoader = () => {
      const engine = openLibsecp256k1Engine(from);
      return { engine, signer: engine };
    };
    const { engine, passedOver } = pickEngine({ load: { libsecp256k1: load } });
    expect(engine.name).toBe('node:crypto');
    expect(passedOver).toEqual([
      { name: 'libsecp256k1', reason: expect.stringContaining('No native build') },
    ]);
  });

  it('causes the same error as a package that is not installed', () => {
    expect(() => openLibsecp256k1Engine(pathToFileURL('/nowhere/index.js'))).toThrow(EngineUnavailableError);
  });
});
