// How many runs are made at a time: of a project, or of all projects of the team.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemOf } from '../../api/field-problems.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';

export function LimitDialog({
  title,
  now,
  field,
  most,
  stale,
  change,
  onClose,
}: {
  title: string;
  now: number | null;
  /** As the server calls it. */
  field: string;
  most: number;
  /** The first parts of keys of queries. */
  stale: readonly string[];
  change: (limit: number | null) => Promise<unknown>;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [typed, setTyped] = useState(now === null ? '' : String(now));
  const save = useMutation({
    mutationFn: () => change(typed.trim() === '' ? null : Number(typed)),
    async onSuccess() {
      onClose();
      await Promise.all(stale.map((key) => client.invalidateQueries({ queryKey: [key] })));
      toast('The limit is saved.', 'good');
    },
  });
  return (
    <FormDialog
      title={title}
      lead="What is asked for beyond it waits for its turn. Runs that are under way continue."
      action="Save"
      busy={save.isPending}
      onClose={onClose}
      onSubmit={() => save.mutate()}
    >
      <Field
        label="Runs at a time"
        hint="Empty for no limit."
        problem={problemOf(save.error, field) ?? save.error?.message}
      >
        {(props) => (
          <Input
            {...props}
            type="number"
            min={1}
            max={most}
            step={1}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}
