// The times of a schedule, with the next five as soon as they are typed.
import { useId, useMemo } from 'react';
import { Field, Input, Select } from '../../ui/field.tsx';
import { Button } from '../../ui/button.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { useNow } from '../../ui/time.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { UNITS, previewOf } from './schedule-draft.ts';
import type { Preview, TimesDraft, Unit } from './schedule-draft.ts';
import { cronText } from './when-text.ts';
import { NextTimes } from './when.tsx';

const MINUTE_MS = 60_000;
const PAUSE_MS = 150;

const EXAMPLES: readonly (readonly [cron: string, words: string])[] = [
  ['0 9 * * *', 'Every day'],
  ['0 9 * * 1-5', 'Monday to Friday'],
  ['0 9 * * 1', 'Every Monday'],
  ['0 9 1 * *', 'First of the month'],
  ['0 * * * *', 'Every hour'],
];

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** Of what is typed, a moment later. `from`: what intervals are counted from, if it is known. */
export function usePreview(draft: TimesDraft, from: Date | undefined): Preview {
  const now = useNow();
  const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const settled = useSettled(draft, PAUSE_MS);
  // Patterns name minutes; intervals are counted by the second.
  const at = settled.kind === 'cron' ? minute : now;
  return useMemo(
    () => previewOf(settled, new Date(at), from ?? new Date(minute)),
    [settled, at, from, minute],
  );
}

interface Props {
  draft: TimesDraft;
  change: (part: Partial<TimesDraft>) => void;
  /** What is wrong with a field, as far as the page or the server knows. */
  problem: (field: string) => string | undefined;
}

function CronFields({ draft, change, problem }: Props) {
  const zones = useId();
  const words = cronText(draft.cron.trim());
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {EXAMPLES.map(([cron, text]) => (
          <Button key={cron} size="small" onClick={() => change({ cron })}>
            {text}
          </Button>
        ))}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Pattern"
          hint={words ?? 'Minute, hour, day of the month, month, day of the week'}
          problem={problem('cron')}
        >
          {(props) => (
            <Input
              {...props}
              required
              spellCheck={false}
              autoComplete="off"
              maxLength={200}
              className="font-mono text-xs"
              placeholder="0 9 * * 1-5"
              value={draft.cron}
              onChange={(event) => change({ cron: event.target.value })}
            />
          )}
        </Field>
        <Field label="Time zone" hint="Its summer time counts" problem={problem('timeZone')}>
          {(props) => (
            <>
              <Input
                {...props}
                list={zones}
                spellCheck={false}
                autoComplete="off"
                maxLength={64}
                placeholder="UTC"
                value={draft.timeZone}
                onChange={(event) => change({ timeZone: event.target.value })}
              />
              <datalist id={zones}>
                {ZONES.map((zone) => (
                  <option key={zone} value={zone} />
                ))}
              </datalist>
            </>
          )}
        </Field>
      </div>
    </>
  );
}

function EveryFields({ draft, change, problem }: Props) {
  return (
    <div className="flex flex-wrap items-start gap-2">
      <Field label="Every" problem={problem('everySeconds')}>
        {(props) => (
          <Input
            {...props}
            type="number"
            required
            min={1}
            step={1}
            className="max-w-32"
            value={draft.count}
            onChange={(event) => change({ count: event.target.value })}
          />
        )}
      </Field>
      <Field label="Unit">
        {(props) => (
          <Select
            {...props}
            value={draft.unit}
            onChange={(event) => change({ unit: event.target.value as Unit })}
          >
            {Object.keys(UNITS).map((unit) => (
              <option key={unit} value={unit}>
                {unit}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </div>
  );
}

function Next({
  draft,
  preview,
  counted,
}: {
  draft: TimesDraft;
  preview: Preview;
  counted: Counted;
}) {
  if (preview.kind === 'wrong') return null;
  const isEvery = draft.kind === 'every';
  if (isEvery && counted === 'resumed') {
    return <p className="text-sm text-soft">Its next times are known when it is resumed.</p>;
  }
  return (
    <div>
      <p className="mb-1 text-sm font-medium">Next times</p>
      <NextTimes label="Next times" times={preview.times} timeZone={preview.timeZone} />
      {isEvery && counted === 'saved' ? (
        <p className="mt-1 text-xs text-soft">Counted from the moment you save it.</p>
      ) : null}
    </div>
  );
}

/** Where intervals are counted from: what it was before, the moment it is saved, or what only the server knows. */
type Counted = 'before' | 'saved' | 'resumed';

export function TimesFields({
  preview,
  counted,
  ...parts
}: Props & { preview: Preview; counted: Counted }) {
  const { draft, change } = parts;
  return (
    <>
      <Segmented
        label="How it is timed"
        value={draft.kind}
        onChange={(kind) => change({ kind })}
        options={[
          ['cron', 'At certain times'],
          ['every', 'Every so often'],
        ]}
      />
      {draft.kind === 'cron' ? <CronFields {...parts} /> : <EveryFields {...parts} />}
      <Next draft={draft} preview={preview} counted={counted} />
    </>
  );
}
