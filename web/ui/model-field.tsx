// A model by its id. Any id can be called: what is suggested is what the team has used.
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { api } from '../api/client.ts';
import { Field, Input } from './field.tsx';

const SIMULATED = ['sim-fast', 'sim-standard'];

export function ModelField({
  value,
  onChange,
  hint,
  problem,
  required = false,
}: {
  value: string;
  onChange: (model: string) => void;
  hint?: string;
  problem?: string | undefined;
  required?: boolean;
}) {
  const listId = useId();
  const used = useQuery({
    queryKey: ['usage', 'models'],
    queryFn: () => api.usage.history(),
    staleTime: 60_000,
    select: ({ byModel }) => byModel.map(({ model }) => model),
  });
  const known = [...new Set([...(used.data ?? []), ...SIMULATED])];
  return (
    <Field label="Model" hint={hint} problem={problem}>
      {(props) => (
        <>
          <Input
            {...props}
            list={listId}
            value={value}
            required={required}
            spellCheck={false}
            autoComplete="off"
            placeholder="claude-sonnet-5-5"
            className="font-mono text-xs"
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={listId}>
            {known.map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
