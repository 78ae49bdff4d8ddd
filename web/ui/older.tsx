// The foot of a list that goes on after a cursor.
import { Button } from './button.tsx';

export function Older({
  isFirst,
  next,
  onChange,
}: {
  isFirst: boolean;
  next: string | null;
  /** Undefined: back to the newest. */
  onChange: (cursor: string | undefined) => void;
}) {
  if (isFirst && next === null) return null;
  return (
    <div className="flex items-center justify-end gap-2 border-t border-line p-3">
      <Button size="small" disabled={isFirst} onClick={() => onChange(undefined)}>
        Newest
      </Button>
      <Button size="small" disabled={next === null} onClick={() => onChange(next ?? undefined)}>
        Older
      </Button>
    </div>
  );
}
