// The parts of the forms of schedules and triggers.
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card, CardHead } from '../../ui/surface.tsx';

export function FormPart({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card>
      <CardHead title={title} />
      <div className="flex flex-col gap-4 p-4">{children}</div>
    </Card>
  );
}

export function FormEnd({
  action,
  saving,
  isReady,
  becomesOwner,
}: {
  action: string;
  saving: { error: Error | null; isPending: boolean };
  isReady: boolean;
  /** By what was typed. */
  becomesOwner: boolean;
}) {
  return (
    <>
      {becomesOwner ? (
        <p className="text-sm text-warn">
          You change what it runs, so its runs act and pay as you from then on.
        </p>
      ) : null}
      {saving.error ? (
        <p role="alert" className="text-sm text-bad">
          {saving.error.message}
        </p>
      ) : null}
      <div className="flex justify-end border-t border-line pt-4">
        <Button type="submit" look="primary" busy={saving.isPending} disabled={!isReady}>
          {action}
        </Button>
      </div>
    </>
  );
}
