'use client';
/** Candles over time. Those of a rise are hollow, so that the colour is not the only sign. */
import type { Candle } from '@trading-automation/sdk';
import type { IChartApi, IPriceLine, ISeriesApi, UTCTimestamp } from 'lightweight-charts';
import { useTheme } from 'next-themes';
import { useEffect, useRef, useState } from 'react';
import { loadLate } from '../../data/late-code';
import type { Pair } from '../../data/pairs';
import { decimalsOf } from '../../format/decimals';
import { formatAmount } from '../../format/numbers';
import { usePreferences } from '../../format/preferences';
import { formatExact, formatTime } from '../../format/times';
import { ChartFrame } from '../../ui/charts/chart-frame';
import { chartColours, withOpacity } from '../../ui/charts/theme';
import { MissingCode } from '../../ui/missing-code';
import { axisLabel } from './axis-label';

type Candles = readonly Candle<'string'>[];

export interface CandleChartProps {
  readonly pair: Pair;
  readonly interval: string;
  readonly candles: Candles;
}

const HEIGHT = 380;
const timeOf = (at: string) => Math.floor(Date.parse(at) / 1000) as UTCTimestamp;

export function CandleChart({ pair, interval, candles }: CandleChartProps) {
  const style = usePreferences();
  const price = (value: string) => formatAmount(value, style.locale, decimalsOf(pair.price_tick));
  return (
    <ChartFrame
      description={`Candles of ${pair.symbol}, ${interval} each, prices in ${pair.quote}`}
      height={HEIGHT}
      table={{
        columns: ['Time', 'Open', 'High', 'Low', `Close (${pair.quote})`, `Volume (${pair.base})`],
        rows: [...candles]
          .reverse()
          .map(({ at, open, high, low, close, volume }) => [
            formatTime(at, style),
            ...[open, high, low, close].map(price),
            formatAmount(volume, style.locale),
          ]),
      }}
    >
      <Canvas pair={pair} interval={interval} candles={candles} />
    </ChartFrame>
  );
}

type Library = typeof import('lightweight-charts');

interface Drawing {
  readonly chart: IChartApi;
  readonly prices: ISeriesApi<'Candlestick'>;
  readonly volumes: ISeriesApi<'Histogram'>;
  readonly colours: ReturnType<typeof chartColours>;
  readonly removeLine: (line: IPriceLine) => void;
}

function Canvas({ pair, interval, candles }: CandleChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const [drawing, setDrawing] = useState<Drawing>();
  const [pointedAt, setPointedAt] = useState<number>();
  const [isMissing, setMissing] = useState(false);
  const { resolvedTheme } = useTheme();
  const { locale, timeZone } = usePreferences();
  const decimals = decimalsOf(pair.price_tick);
  useEffect(() => {
    let chart: IChartApi | undefined;
    let isGone = false;
    const draw = ({ createChart, CandlestickSeries, HistogramSeries }: Library) => {
      if (isGone || box.current === null) return;
      const colours = chartColours();
      const style = { locale, timeZone };
      chart = createChart(box.current, {
        height: HEIGHT,
        autoSize: true,
        layout: {
          background: { color: 'transparent' },
          textColor: colours['slate-11'],
          fontSize: 11,
          fontFamily: 'inherit',
          attributionLogo: false,
        },
        localization: {
          timeFormatter: (time: unknown) => formatExact(new Date(Number(time) * 1000).toISOString(), style),
          priceFormatter: (value: number) => formatAmount(String(value), locale, decimals),
        },
        grid: { vertLines: { visible: false }, horzLines: { color: withOpacity(colours['slate-6'], 0.6) } },
        rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.08, bottom: 0.24 } },
        timeScale: {
          borderVisible: false,
          timeVisible: true,
          rightOffset: 2,
          tickMarkFormatter: (time: unknown, kind: number) => axisLabel(Number(time), kind, style),
        },
        handleScroll: { vertTouchDrag: false },
      });
      chart.subscribeCrosshairMove(({ time }) => setPointedAt(time === undefined ? undefined : Number(time)));
      const prices = chart.addSeries(CandlestickSeries, {
        upColor: colours.surface,
        borderUpColor: colours['jade-9'],
        wickUpColor: colours['jade-9'],
        downColor: colours['tomato-9'],
        lastValueVisible: false,
        priceLineVisible: false,
        borderDownColor: colours['tomato-9'],
        wickDownColor: colours['tomato-9'],
        priceFormat: { type: 'price', precision: decimals, minMove: Number(pair.price_tick) },
      });
      const volumes = chart.addSeries(HistogramSeries, {
        priceScaleId: 'volume',
        priceLineVisible: false,
        lastValueVisible: false,
      });
      chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
      setDrawing({
        chart,
        prices,
        volumes,
        colours,
        // The series of a removed chart has no lines to remove.
        removeLine: (line) => !isGone && prices.removePriceLine(line),
      });
    };
    void loadLate(() => import('lightweight-charts')).then(draw, () => setMissing(true));
    return () => {
      isGone = true;
      chart?.remove();
      setDrawing(undefined);
    };
  }, [pair, decimals, resolvedTheme, locale, timeZone]);
  useCandles(drawing, candles);
  // A new interval begins with its last candles; later ones keep what the reader has scrolled to.
  useEffect(() => drawing?.chart.timeScale().scrollToRealTime(), [drawing, interval]);
  if (isMissing) return <MissingCode />;
  const pointed = candles.find(({ at }) => timeOf(at) === pointedAt) ?? candles.at(-1);
  return (
    <div className="relative" style={{ height: HEIGHT }}>
      {pointed !== undefined && <CandleValues candle={pointed} pair={pair} />}
      <div ref={box} aria-hidden className="h-full" />
    </div>
  );
}

function useCandles(drawing: Drawing | undefined, candles: Candles): void {
  useEffect(() => {
    if (drawing === undefined) return;
    const { prices, volumes, colours } = drawing;
    prices.setData(
      candles.map(({ at, open, high, low, close }) => ({
        time: timeOf(at),
        open: Number(open),
        high: Number(high),
        low: Number(low),
        close: Number(close),
      })),
    );
    const last = candles.at(-1);
    const line =
      last &&
      prices.createPriceLine({
        price: Number(last.close),
        color: colours['slate-11'],
        lineWidth: 1,
        lineStyle: 1,
        axisLabelVisible: true,
        title: '',
      });
    volumes.setData(
      candles.map(({ at, open, close, volume }) => ({
        time: timeOf(at),
        value: Number(volume),
        color: withOpacity(colours[Number(close) >= Number(open) ? 'jade-9' : 'tomato-9'], 0.28),
      })),
    );
    return () => {
      if (line !== undefined) drawing.removeLine(line);
    };
  }, [drawing, candles]);
}

/** The values of the candle under the pointer, or of the last one. */
function CandleValues({ candle, pair }: { readonly candle: Candle<'string'>; readonly pair: Pair }) {
  const style = usePreferences();
  const price = (value: string) => formatAmount(value, style.locale, decimalsOf(pair.price_tick));
  const values = [
    ['Open', price(candle.open)],
    ['High', price(candle.high)],
    ['Low', price(candle.low)],
    ['Close', price(candle.close)],
    ['Volume', `${formatAmount(candle.volume, style.locale)}\u2009${pair.base}`],
  ];
  return (
    <p className="pointer-events-none absolute top-0 right-20 left-4 z-10 flex flex-wrap gap-x-3 text-2xs text-muted">
      {values.map(([name, value]) => (
        <span key={name}>
          {name} <span className="text-text">{value}</span>
        </span>
      ))}
    </p>
  );
}
