// What a task and a branch may name, beside the field that names it.
import { valuesOf } from './event-words.ts';
import { chosenEvents } from './trigger-draft.ts';
import type { TriggerDraft } from './trigger-draft.ts';

const CALL = [
  {
    name: 'values.env',
    about: 'the value "env" of a call with {"values":{"env":"prod"}}; any other name works, too',
  },
];

export function TemplateValues({ draft }: { draft: TriggerDraft }) {
  const values = draft.kind === 'url' ? CALL : valuesOf(chosenEvents(draft));
  return (
    <details className="rounded-lg border border-line px-4 py-3 text-sm">
      <summary className="text-soft">What the task and the branch may name</summary>
      <p className="mt-2 text-xs text-soft">
        Texts that others wrote come below the task, as a quote of strangers, and in the name of a
        branch as small letters, digits and hyphens.
      </p>
      <dl className="mt-2 grid gap-x-6 gap-y-1 text-xs sm:grid-cols-2">
        {values.map(({ name, about }) => (
          <div key={name} className="flex flex-wrap gap-x-2">
            <dt>
              <code>{`{{${name}}}`}</code>
            </dt>
            <dd className="text-soft">{about}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
