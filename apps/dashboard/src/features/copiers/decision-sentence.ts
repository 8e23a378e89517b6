/**
 * Explains the decision of a copier in a sentence with its numbers.
 *
 * 1. Every outcome and every code has a sentence. A code of a later release is shown as it is.
 * 2. Numbers that are missing, or hidden because another user owns the strategy, are left out of the sentence.
 */
import { baseOf, quoteOf } from '../../data/symbols';
import { Exact } from '../../format/decimals';
import { formatAmount, signOf } from '../../format/numbers';
import { formatDuration } from '../../format/times';
import { isDecimal } from './decision-numbers.rules';
import { type Facts, REASONS } from './decision-reasons';

export interface DecisionToExplain {
  readonly symbol: string;
  readonly kind: string;
  readonly outcome: string;
  readonly code?: string | undefined;
  readonly inputs: Readonly<Record<string, string | number | boolean | null>>;
  readonly target_amount: string;
  readonly sent_amount: string;
  /** Missing for a simulated decision. */
  readonly filled_amount?: string | undefined;
  readonly latency_ms?: number | undefined;
  readonly slippage_bps?: string | undefined;
}

/** Returns one or two sentences about the decision. */
export function decisionSentence(decision: DecisionToExplain, locale?: string): string {
  const facts = factsOf(decision, locale);
  const reason = reasonOf(decision, facts);
  const { outcome } = decision;
  if (outcome === 'COPIED') return `${actOf(decision, facts)}.${additionsOf(decision, facts)}`;
  if (outcome === 'CLAMPED')
    return `${actOf(decision, facts)} instead of ${facts.base(decision.target_amount)}: ${reason}.${additionsOf(decision, facts)}`;
  if (outcome === 'SKIPPED') return `${facts.isEntry ? 'Entry' : 'Exit'} not copied: ${reason}.`;
  if (outcome === 'FAILED')
    return signOf(decision.sent_amount) === 0
      ? `No order was placed: ${reason}.`
      : `The order for ${facts.base(decision.sent_amount)} failed: ${reason}.`;
  if (outcome === 'PENDING') return pendingSentence(decision, facts, reason);
  return `${outcome}: ${reason}.`;
}

function factsOf(decision: DecisionToExplain, locale: string | undefined): Facts {
  const { symbol, kind, inputs } = decision;
  const plain = (value: string) => (isDecimal(value) ? formatAmount(value, locale) : value);
  const input = (name: string) => {
    const value = inputs[name];
    return value === undefined || value === null ? undefined : String(value);
  };
  const copied = input('copier_symbol') ?? symbol;
  return {
    symbol,
    isEntry: kind === 'OPEN' || kind === 'INCREASE',
    rule: input('rule'),
    value: input('value'),
    limit: input('limit'),
    base: (value) => `${plain(value)} ${baseOf(copied)}`,
    quote: (value) => `${plain(value)} ${quoteOf(copied)}`,
    plain,
    input,
  };
}

function reasonOf({ code, inputs }: DecisionToExplain, facts: Facts): string {
  if (code !== undefined) return REASONS[code]?.(facts) ?? `the reason has the code ${code}`;
  if (inputs.rule === 'planning') return 'the copy could not be planned because of an internal error';
  return 'no reason was recorded';
}

const VERBS: Readonly<Record<string, readonly [past: string, present: string]>> = {
  OPEN: ['Opened', 'Opens'],
  INCREASE: ['Added', 'Adds'],
  REDUCE: ['Reduced the copy by', 'Reduces the copy by'],
  CLOSE: ['Closed', 'Closes'],
};

/** "Opened 0.05 BTC"; a simulation says "Opens". */
function actOf({ kind, filled_amount, sent_amount, inputs }: DecisionToExplain, { base }: Facts): string {
  const [past, present] = VERBS[kind] ?? ['Copied', 'Copies'];
  const verb = filled_amount === undefined ? present : past;
  const start = inputs.copy_existing === true ? ' of a lot that was open at the start' : '';
  const pair = typeof inputs.copier_symbol === 'string' ? ` on ${inputs.copier_symbol}` : '';
  return `${verb} ${base(filled_amount ?? sent_amount)}${pair}${start}`;
}

function additionsOf(decision: DecisionToExplain, facts: Facts): string {
  const { inputs, latency_ms: latencyMs, slippage_bps: slippage } = decision;
  const { base, input, plain } = facts;
  const [ratio, leaderAmount, price] = [input('ratio'), input('leader_amount'), input('reference_price')];
  const size = ratio === undefined ? '' : sizeSentence(ratio, leaderAmount, facts);
  const raised =
    inputs.rounded_up === true
      ? ` It was raised from ${base(decision.target_amount)} to the least amount that can be sold again.`
      : '';
  const strategyPrice =
    price === undefined ? '' : ` The strategy's price was ${plain(price)} ${quoteOf(decision.symbol)}`;
  const own =
    slippage === undefined || strategyPrice === '' ? '' : `; the copy's was ${comparison(slippage, plain)}`;
  const delay = latencyMs === undefined ? '' : ` The order was sent after ${formatDuration(latencyMs)}.`;
  return `${size}${raised}${strategyPrice === '' ? '' : `${strategyPrice}${own}.`}${delay}`;
}

function sizeSentence(ratio: string, leaderAmount: string | undefined, { base, plain }: Facts): string {
  return leaderAmount === undefined
    ? ` The ratio to the strategy's amount is ${plain(ratio)}.`
    : ` The size is ${plain(ratio)} × the ${base(leaderAmount)} of the strategy so far.`;
}

function comparison(slippageBps: string, plain: Facts['plain']): string {
  const sign = signOf(slippageBps);
  if (sign === 0) return 'the same';
  const bps = plain(new Exact(slippageBps).abs().round(2).toFixed());
  return `${bps} bps ${sign > 0 ? 'worse' : 'better'}`;
}

function pendingSentence(decision: DecisionToExplain, { base, isEntry }: Facts, reason: string): string {
  const { sent_amount: sent, filled_amount: filled = '0', code } = decision;
  const isOrdered = signOf(sent) !== 0;
  const progress = isOrdered
    ? `An order for ${base(sent)} was sent; ${signOf(filled) === 0 ? 'nothing' : base(filled)} is filled so far.`
    : `The ${isEntry ? 'entry' : 'exit'} is not final yet.`;
  if (code === undefined) return progress;
  return `${progress} ${isEntry ? 'The size was reduced' : 'The rest waits'}: ${reason}.`;
}
