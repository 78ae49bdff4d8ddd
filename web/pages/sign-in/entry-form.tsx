import { useEffect, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import { Field, Input } from '../../ui/field.tsx';
import { EntryButton } from './entry-button.tsx';
import { messageOf } from './requests.ts';

interface FieldLook {
  label: string;
  type: 'email' | 'text' | 'password';
  autoComplete: string;
  isOptional?: boolean;
  minLength?: number;
  hint?: string;
}

const FIELDS = {
  email: { label: 'Email', type: 'email', autoComplete: 'username' },
  name: { label: 'Name', type: 'text', autoComplete: 'name', isOptional: true },
  password: { label: 'Password', type: 'password', autoComplete: 'current-password' },
  newPassword: {
    label: 'New password',
    type: 'password',
    autoComplete: 'new-password',
    minLength: 12,
    hint: 'At least 12 characters. A few unrelated words work well.',
  },
  userCode: { label: 'Code', type: 'text', autoComplete: 'off', hint: 'Such as BCDF-GHJK' },
} as const satisfies Readonly<Record<string, FieldLook>>;

export type FieldName = keyof typeof FIELDS;
export type EntryValues = Partial<Record<FieldName, string>>;

/** What was filled in, by the names of the API: a new password is a password. */
function valuesOf(form: HTMLFormElement): EntryValues {
  const filled = [...new FormData(form)].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  const { newPassword, ...rest } = Object.fromEntries(filled) as EntryValues;
  return newPassword === undefined ? rest : { ...rest, password: newPassword };
}

export function EntryForm({
  fields,
  action,
  email,
  onSubmit,
  onProblem,
}: {
  fields: readonly FieldName[];
  action: string;
  /** Whose form it is, where that is not for the person to choose. */
  email?: string | undefined;
  onSubmit: (values: EntryValues) => Promise<void>;
  /** Undefined: there is none any more. */
  onProblem: (problem: string | undefined) => void;
}) {
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLInputElement>('input:not([readonly])')?.focus();
  }, []);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onProblem(undefined);
    setBusy(true);
    try {
      await onSubmit(valuesOf(event.currentTarget));
    } catch (error) {
      onProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form ref={form} className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      {fields.map((name) => {
        const { label, isOptional, hint, ...look }: FieldLook = FIELDS[name];
        const isFixed = name === 'email' && email !== undefined;
        return (
          <Field
            key={name}
            label={isOptional ? `${label} (optional)` : label}
            {...(hint === undefined ? {} : { hint })}
          >
            {(props) => (
              <Input
                {...props}
                {...look}
                name={name}
                required={!isOptional}
                {...(isFixed ? { defaultValue: email, readOnly: true } : {})}
                className="h-9.5! read-only:bg-sunken"
              />
            )}
          </Field>
        );
      })}
      <EntryButton type="submit" look="primary" busy={isBusy}>
        {action}
      </EntryButton>
    </form>
  );
}
