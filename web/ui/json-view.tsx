import { CopyBlock } from './copy.tsx';

/** What the API says, as it says it. */
export function JsonView({ value }: { value: unknown }) {
  return <CopyBlock text={JSON.stringify(value, null, 2)} label="JSON" />;
}
