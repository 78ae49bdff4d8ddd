// A new secret; what was shown before is good for a day, unless it must end at once.
import { useState } from 'react';
import type { Trigger } from '../../../src/contract/trigger-api.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { KeyRound } from '../../ui/icons.tsx';
import { useChange } from '../settings/use-change.ts';
import { TriggerSecret } from './trigger-secret.tsx';
import type { ShownSecret } from './trigger-secret.tsx';

export function RotateSecret({ trigger: { id, kind } }: { trigger: Trigger }) {
  const [asks, setAsks] = useState(false);
  const [atOnce, setAtOnce] = useState(false);
  const [shown, setShown] = useState<ShownSecret>();
  const word = kind === 'url' ? 'token' : 'secret';
  const rotate = useChange({
    change: () => api.triggers.rotate(id, atOnce ? { gracePeriodHours: 0 } : {}),
    stale: [],
    onDone({ url, secret }) {
      setAsks(false);
      setShown({ kind, url, secret });
    },
  });
  return (
    <>
      <Button
        icon={<KeyRound />}
        onClick={() => {
          setAtOnce(false);
          setAsks(true);
        }}
      >
        Rotate {word}
      </Button>
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        title={`Rotate the ${word}?`}
        action={`Rotate the ${word}`}
        busy={rotate.isPending}
        onConfirm={() => rotate.mutate(undefined)}
      >
        <p className="mb-3">
          You get a new {word}. The one of before is good for 24 hours, too: replace it where the
          calls are made in that time.
        </p>
        <Checkbox
          label={`End the ${word} of before at once`}
          checked={atOnce}
          onChange={(event) => setAtOnce(event.target.checked)}
        />
      </ConfirmDialog>
      <TriggerSecret shown={shown} onClose={() => setShown(undefined)} />
    </>
  );
}
