import { AUDIT_ACTIONS } from '../../../../src/contract/audit-actions.ts';
import type { AuditEvent } from '../../../../src/contract/audit-api.ts';
import { CopyId } from '../../../ui/copy.tsx';
import { Ago } from '../../../ui/time.tsx';

const HOW: Readonly<Record<string, string>> = {
  session: 'in the browser',
  device: 'on the command line',
  key: 'with an API key',
  link: 'with a link',
  operator: 'on the machine of the server',
  system: 'by the server itself',
};

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(shown).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
};

type Values = Readonly<Record<string, unknown>>;

/** Settings one by one: of many, mostly one has changed. */
function flat(values: AuditEvent['before']): Values {
  const fields = Object.entries(values ?? {}).flatMap(([name, value]): [string, unknown][] =>
    name === 'settings' && typeof value === 'object' && value !== null
      ? Object.entries(value)
      : [[name, value]],
  );
  return Object.fromEntries(fields);
}

/** Nothing was there, or is there now: not worth a word. */
const isSet = (values: Values, name: string) => values[name] !== undefined && values[name] !== null;

function Changes(entry: Pick<AuditEvent, 'before' | 'after'>) {
  const before = flat(entry.before);
  const after = flat(entry.after);
  const isSame = (name: string) =>
    entry.before != null && entry.after != null && shown(before[name]) === shown(after[name]);
  const all = new Set([...Object.keys(before), ...Object.keys(after)]);
  const names = [...all].filter(
    (name) => (isSet(before, name) || isSet(after, name)) && !isSame(name),
  );
  if (names.length === 0) return null;
  return (
    <dl className="mt-1.5 grid w-fit max-w-full grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 rounded-md bg-sunken px-3 py-1.5 text-xs">
      {names.map((name) => (
        <div key={name} className="contents">
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 font-mono break-words">
            {isSet(before, name) ? (
              <>
                <del className="text-bad">{shown(before[name])}</del>{' '}
              </>
            ) : null}
            {isSet(after, name) ? (
              <ins className="text-good no-underline">{shown(after[name])}</ins>
            ) : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function AuditEntry({ entry }: { entry: AuditEvent }) {
  const { at, action, actor, target, before, after } = entry;
  return (
    <li className="border-b border-line px-4 py-3 last:border-b-0">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="text-sm font-medium">{AUDIT_ACTIONS[action]}</span>
        <code className="text-xs text-faint">{action}</code>
        <Ago time={at} className="ml-auto text-xs whitespace-nowrap text-soft" />
      </div>
      <p className="mt-0.5 flex flex-wrap items-center gap-x-2 text-xs text-soft">
        <span>
          {actor.email ?? (actor.credential === 'system' ? 'The server' : 'The operator')}{' '}
          {HOW[actor.credential] ?? actor.credential}
          {actor.address ? ` from ${actor.address}` : ''}
        </span>
        {target ? <CopyId id={target} className="text-2xs" /> : null}
      </p>
      <Changes before={before} after={after} />
    </li>
  );
}
