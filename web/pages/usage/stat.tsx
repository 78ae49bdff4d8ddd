import type { ReactNode } from 'react';
import { Card } from '../../ui/surface.tsx';

/** One figure of the month, large, with what to know about it. */
export function Stat({
  name,
  value,
  note,
  action,
  children,
}: {
  name: string;
  value: ReactNode;
  note?: ReactNode;
  action?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <Card className="flex min-w-0 flex-col gap-2 px-4 py-3">
      <h2 className="text-xs font-medium text-faint">{name}</h2>
      <div className="text-2xl leading-none font-semibold tracking-tight tabular">{value}</div>
      {children}
      {note ? <div className="text-xs text-soft">{note}</div> : null}
      {action}
    </Card>
  );
}
