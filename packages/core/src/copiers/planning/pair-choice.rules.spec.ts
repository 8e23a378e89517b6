/** A number after `rule` in a title refers to the first table of docs/trading/rules.md. */
import fc from 'fast-check';
import { aliasesOf, candidateSymbols, choosePair } from './pair-choice.rules.js';

const DOLLARS = ['USD', 'USDT', 'USDC'];
const NONE = { quoteAliases: [], symbolMap: {} };
const ALIASED = { quoteAliases: [['EUR', 'EURC'], DOLLARS], symbolMap: {} };
const offered = (...symbols: string[]) => new Map(symbols.map((symbol) => [symbol, symbol]));

describe('rule 27: the pair on which a spot pair is copied', () => {
  it('has the same symbol without other settings', () => {
    expect(candidateSymbols('BTC/USDT', NONE)).toEqual(['BTC/USDT']);
  });

  it('is the one of the map first, then the same symbol, then those of the aliases in the order of their group', () => {
    const symbolMap = { 'BTC/USDT': 'XBT/EUR', 'ETH/USDT': 'ETH/USDC' };
    expect(candidateSymbols('BTC/USDT', { ...ALIASED, symbolMap })).toEqual([
      'XBT/EUR',
      'BTC/USDT',
      'BTC/USD',
      'BTC/USDC',
    ]);
    expect(candidateSymbols('ETH/USDT', { ...ALIASED, symbolMap })).toEqual([
      'ETH/USDC',
      'ETH/USDT',
      'ETH/USD',
    ]);
  });

  it('has no other base, and no quote currency of another group', () => {
    expect(candidateSymbols('BTC/EUR', ALIASED)).toEqual(['BTC/EUR', 'BTC/EURC']);
    expect(candidateSymbols('USDT/BTC', ALIASED)).toEqual(['USDT/BTC']);
    expect(candidateSymbols('BTC/GBP', ALIASED)).toEqual(['BTC/GBP']);
  });

  it('is never one of the names that every object has', () => {
    expect(candidateSymbols('constructor', NONE)).toEqual(['constructor']);
  });
});

describe('rule 27: the pair on which a perpetual is copied', () => {
  it('may differ in the quote currency and in the settlement currency', () => {
    expect(candidateSymbols('BTC/USDT:USDT', ALIASED)).toEqual([
      'BTC/USDT:USDT',
      'BTC/USD:USD',
      'BTC/USD:USDT',
      'BTC/USD:USDC',
      'BTC/USDT:USD',
      'BTC/USDT:USDC',
      'BTC/USDC:USD',
      'BTC/USDC:USDT',
      'BTC/USDC:USDC',
    ]);
    expect(candidateSymbols('BTC/USD:USDC', { ...NONE, quoteAliases: [['USDT', 'USDC']] })).toEqual([
      'BTC/USD:USDC',
      'BTC/USD:USDT',
    ]);
  });

  it('is never settled in the base currency, and never a dated contract', () => {
    const symbols = candidateSymbols('BTC/USD:USD', ALIASED);
    expect(choosePair(symbols, offered('BTC/USD:BTC', 'BTC/USDT:USDT-261225', 'BTC/USDT'))).toBeNull();
    expect(candidateSymbols('BTC/USDT:USDT-261225', ALIASED)).toEqual(['BTC/USDT:USDT-261225']);
  });

  it('is never a spot pair, and a spot pair never has a perpetual as candidate', () => {
    const currency = fc.constantFrom('BTC', 'EUR', ...DOLLARS);
    fc.assert(
      fc.property(currency, currency, fc.option(currency), (base, quote, settle) => {
        const symbol = `${base}/${quote}${settle === null ? '' : `:${settle}`}`;
        for (const candidate of candidateSymbols(symbol, ALIASED))
          expect(candidate.includes(':')).toBe(settle !== null);
      }),
    );
  });
});

describe('rule 27: the choice', () => {
  it('is the first candidate that the exchange offers; null if it offers none', () => {
    const candidates = candidateSymbols('BTC/USDT', ALIASED);
    expect(choosePair(candidates, offered('BTC/USDC', 'BTC/USD'))).toBe('BTC/USD');
    expect(choosePair(candidates, offered('BTC/USDC', 'BTC/USDT'))).toBe('BTC/USDT');
    expect(choosePair(candidates, offered('ETH/USDT'))).toBeNull();
    const mapped = candidateSymbols('BTC/USDT', { ...NONE, symbolMap: { 'BTC/USDT': 'BTC/USDC' } });
    expect(choosePair(mapped, offered('BTC/USDT', 'BTC/USDC'))).toBe('BTC/USDC');
    expect(choosePair(mapped, offered('BTC/USDT'))).toBe('BTC/USDT');
  });

  it('does not depend on the order of the offered pairs', () => {
    const candidates = candidateSymbols('BTC/USDT:USDT', ALIASED);
    const symbols = fc.shuffledSubarray([...candidates, 'BTC/USDT', 'ETH/USDT:USDT']);
    fc.assert(
      fc.property(symbols, (some) => {
        const expected = candidates.find((symbol) => some.includes(symbol)) ?? null;
        expect(choosePair(candidates, offered(...some))).toBe(expected);
      }),
    );
  });
});

describe('the aliases of a currency', () => {
  it('are those of its group, itself included, or itself alone', () => {
    expect(aliasesOf('USDC', ALIASED.quoteAliases)).toEqual(DOLLARS);
    expect(aliasesOf('GBP', ALIASED.quoteAliases)).toEqual(['GBP']);
  });
});
