// What starts a trigger of a forge: whose events, which of them, and what has to hold.
import { TRIGGER_EVENTS } from '../../../src/contract/trigger-events.ts';
import { Checkbox, Field, Input, TextArea } from '../../ui/field.tsx';
import { FILTERS, FILTER_NAMES, eventsOf } from './event-words.ts';
import type { FilterName, Forge } from './event-words.ts';
import { EventText } from './event-text.tsx';
import { chosenEvents } from './trigger-draft.ts';
import type { TriggerDraft } from './trigger-draft.ts';

const PLACEHOLDERS: Readonly<Record<Forge, string>> = {
  github: 'example/shop',
  gitlab: 'example/group/shop',
};

export function EventFields({
  draft,
  forge,
  change,
  problem,
}: {
  draft: TriggerDraft;
  forge: Forge;
  change: (part: Partial<TriggerDraft>) => void;
  problem: (field: string) => string | undefined;
}) {
  const chosen = chosenEvents(draft);
  const isUseful = (name: FilterName) => {
    const { events } = FILTERS[name];
    return draft.filters[name] !== '' || (events ?? chosen).some((event) => chosen.includes(event));
  };
  const wrong = problem('events');
  return (
    <>
      <Field
        label="Repository"
        hint="Events of others start nothing"
        problem={problem('repository')}
      >
        {(props) => (
          <Input
            {...props}
            required
            maxLength={300}
            spellCheck={false}
            autoComplete="off"
            className="max-w-96 font-mono text-xs"
            placeholder={PLACEHOLDERS[forge]}
            value={draft.repository}
            onChange={(event) => change({ repository: event.target.value })}
          />
        )}
      </Field>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium">It starts when</legend>
        {eventsOf(forge).map((name) => (
          <Checkbox
            key={name}
            label={<EventText text={TRIGGER_EVENTS[name]} />}
            checked={chosen.includes(name)}
            onChange={(event) =>
              change({
                events: event.target.checked
                  ? [...draft.events, name]
                  : draft.events.filter((each) => each !== name),
              })
            }
          />
        ))}
        {wrong === undefined ? null : <p className="text-xs text-bad">{wrong}</p>}
      </fieldset>
      <fieldset>
        <legend className="text-sm font-medium">And all of these hold</legend>
        <p className="mb-2 text-xs text-soft">
          One to a line; * stands for any characters. What is empty always holds.
        </p>
        <div className="grid gap-4 sm:grid-cols-2">
          {FILTER_NAMES.filter(isUseful).map((name) => (
            <Field
              key={name}
              label={FILTERS[name].label}
              hint={FILTERS[name].hint}
              problem={problem(`filters.${name}`)}
            >
              {(props) => (
                <TextArea
                  {...props}
                  rows={2}
                  spellCheck={false}
                  className="font-mono text-xs"
                  value={draft.filters[name]}
                  onChange={(event) =>
                    change({ filters: { ...draft.filters, [name]: event.target.value } })
                  }
                />
              )}
            </Field>
          ))}
        </div>
      </fieldset>
    </>
  );
}
