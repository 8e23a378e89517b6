const [WIDTH, HEIGHT, MARGIN] = [96, 24, 2];

/** A line without axes, for a table. The figure that it illustrates is beside it in words. */
export function Spark({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  if (values.length < 2) return <span className="text-muted text-xs">No curve yet</span>;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = most - least || 1;
  const x = (i: number) => MARGIN + (i / (values.length - 1)) * (WIDTH - 2 * MARGIN);
  const y = (value: number) =>
    most === least ? HEIGHT / 2 : HEIGHT - MARGIN - ((value - least) / span) * (HEIGHT - 2 * MARGIN);
  const points = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  return (
    <svg role="img" aria-label={label} width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      <polyline
        points={points}
        fill="none"
        strokeWidth={1.5}
        strokeLinejoin="round"
        className="stroke-accent"
      />
    </svg>
  );
}
