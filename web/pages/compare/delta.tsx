/** How a figure changed from the first run to the second; less is better for all that is compared here. */
export function Delta({
  before,
  after,
  format,
}: {
  before: number | null | undefined;
  after: number | null | undefined;
  format: (value: number) => string;
}) {
  const show = (value: number | null | undefined) =>
    value === null ? 'unknown' : value === undefined ? '-' : format(value);
  if (before === undefined && after === undefined) return <span className="text-faint">-</span>;
  const change =
    typeof before === 'number' && typeof after === 'number' && before > 0
      ? Math.round((100 * (after - before)) / before)
      : undefined;
  return (
    <span className="whitespace-nowrap tabular">
      <span className="text-soft">{show(before)}</span>
      <span aria-label="then" className="mx-1 text-faint">
        →
      </span>
      <span className="font-medium">{show(after)}</span>
      {change === undefined || change === 0 ? null : (
        <span className={`ml-1.5 text-xs ${change < 0 ? 'text-good' : 'text-warn'}`}>
          {change > 0 ? '+' : '−'}
          {Math.abs(change)}%
        </span>
      )}
    </span>
  );
}
