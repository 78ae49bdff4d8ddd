import { Field, Input } from '../../ui/field.tsx';

/** The most steps that a model may plan. */
export function StepsField({
  value,
  onChange,
  problem,
}: {
  value: string;
  onChange: (steps: string) => void;
  problem: string | undefined;
}) {
  return (
    <Field label="Maximum steps" hint="1 to 200" problem={problem}>
      {(props) => (
        <Input
          {...props}
          type="number"
          min={1}
          max={200}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}
