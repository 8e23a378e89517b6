'use client';
/** The colours of the page, as the chart library reads them. */

const NAMES = ['slate-11', 'slate-6', 'slate-12', 'iris-9', 'jade-9', 'tomato-9', 'amber-9'] as const;
export type ChartColours = Readonly<Record<(typeof NAMES)[number] | 'surface', string>>;

/** Converts a colour of the page, of any notation, to rgb: the browser draws it and reads the pixel. */
function rgb(canvas: CanvasRenderingContext2D, name: string): string {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  canvas.fillRect(0, 0, 1, 1);
  const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
  return `rgb(${red}, ${green}, ${blue})`;
}

export function chartColours(): ChartColours {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (canvas === null) throw new Error('The browser has no canvas.');
  const entries = [...NAMES, 'surface' as const].map((name) => [name, rgb(canvas, name)]);
  return Object.fromEntries(entries) as ChartColours;
}

/** The same rgb colour with an opacity. */
export const withOpacity = (colour: string, opacity: number) =>
  colour.replace('rgb(', 'rgba(').replace(')', `, ${opacity})`);
