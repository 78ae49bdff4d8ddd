// One stream of the plan, with everything that can be changed about it here.
import { use, useEffect, useRef, useState } from 'react';
import type { PlanEdit, PlanList } from '../../../src/manifest/edit/edit-plan.ts';
import type { FeatureStream } from '../../../src/manifest/model.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { ChevronDown, Plus, X } from '../../ui/icons.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Card, CardHead } from '../../ui/surface.tsx';
import { EntryList, NewEntry } from './entry-list.tsx';
import { PlanContext } from './plan-context.ts';

/** A text that counts when the field is left or Enter is pressed; Escape brings back what was. */
function CommittedText({
  label,
  value,
  isLong = false,
  isCode = false,
  onCommit,
}: {
  label: string;
  value: string;
  isLong?: boolean;
  isCode?: boolean;
  onCommit: ((text: string) => void) | undefined;
}) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const commit = () => {
    if (text !== value) onCommit?.(text);
  };
  const shared = {
    value: text,
    readOnly: onCommit === undefined,
    onBlur: commit,
    className: isCode ? 'font-mono text-xs' : '',
  };
  return (
    <Field label={label}>
      {(props) =>
        isLong ? (
          <TextArea
            {...props}
            {...shared}
            rows={6}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) commit();
            }}
          />
        ) : (
          <Input
            {...props}
            {...shared}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') commit();
              if (event.key === 'Escape') setText(value);
            }}
          />
        )
      }
    </Field>
  );
}

function Lists({
  stream,
  others,
  edit,
}: {
  stream: FeatureStream;
  others: readonly string[];
  edit: ((edit: PlanEdit) => void) | undefined;
}) {
  const { id, deps, owns, reads, verify } = stream;
  const removing = (list: PlanList, verb: string) =>
    edit &&
    ((entry: string) => ({
      name: `${verb} ${entry}`,
      act: () => edit({ kind: 'remove', stream: id, list, entry }),
    }));
  const adding = (list: PlanList) => (entry: string) =>
    edit?.({ kind: 'add', stream: id, list, entry });
  const free = others.filter((other) => !deps.includes(other));
  return (
    <>
      <EntryList
        title="Files it writes"
        entries={owns}
        none="None are named: it may write any file."
        remove={removing('owns', 'Do not write')}
        action={(entry) =>
          edit && others.length > 0 ? (
            <Menu
              trigger={
                <Button size="small" look="ghost" aria-label={`Move ${entry} to another stream`}>
                  Move <ChevronDown />
                </Button>
              }
              items={others.map((other) => ({
                label: other,
                onSelect: () => edit({ kind: 'move', stream: id, to: other, entry }),
              }))}
            />
          ) : null
        }
      >
        {edit ? (
          <NewEntry label="One more file" placeholder="src/search.ts" onAdd={adding('owns')} />
        ) : null}
      </EntryList>
      <EntryList
        title="Waits for"
        entries={deps}
        none="Nothing: it starts at once."
        remove={removing('deps', 'Do not wait for')}
      >
        {edit && free.length > 0 ? (
          <Menu
            trigger={
              <Button size="small" icon={<Plus />} className="self-start">
                Wait for
              </Button>
            }
            items={free.map((other) => ({ label: other, onSelect: () => adding('deps')(other) }))}
          />
        ) : null}
      </EntryList>
      <EntryList
        title="Checks"
        entries={verify}
        none="None: what it writes counts as it is."
        remove={removing('verify', 'Do not run')}
      >
        {edit ? (
          <NewEntry label="One more check" placeholder="npm test" onAdd={adding('verify')} />
        ) : null}
      </EntryList>
      <EntryList
        title="Files it reads"
        entries={reads}
        none="None beside those that it writes."
        remove={removing('reads', 'Do not read')}
      >
        {edit ? (
          <NewEntry
            label="One more file to read"
            placeholder="src/book.ts"
            onAdd={adding('reads')}
          />
        ) : null}
      </EntryList>
    </>
  );
}

export function StreamPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { plan, edit } = use(PlanContext)!;
  const heading = useRef<HTMLSpanElement>(null);
  useEffect(() => heading.current?.focus(), []);
  // What had the focus may be gone with its entry: the keyboard stays in the panel.
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [plan]);
  const stream = plan.manifest.streams.get(id);
  if (stream === undefined || !('owns' in stream)) return null;
  const others = [...plan.manifest.streams.keys()].filter((other) => other !== id);
  const why = plan.waves.flat().find((each) => each.id === id)?.why;
  const commit = (change: (text: string) => PlanEdit) =>
    edit && ((text: string) => edit(change(text)));
  return (
    <Card>
      <div
        onKeyDown={(event) => {
          if (event.key === 'Escape' && !event.defaultPrevented) onClose();
        }}
      >
        <CardHead
          title={
            <span ref={heading} tabIndex={-1} className="outline-none">
              Stream {id}
            </span>
          }
        >
          {edit && others.length > 0 ? (
            <Button
              size="small"
              look="danger"
              onClick={() => {
                edit({ kind: 'delete', stream: id });
                onClose();
              }}
            >
              Delete the stream
            </Button>
          ) : null}
          <IconButton name="Close the stream" onClick={onClose}>
            <X />
          </IconButton>
        </CardHead>
        <div className="flex flex-col gap-4 p-4">
          {why ? <p className="text-xs text-soft">{why}</p> : null}
          <div className="grid gap-4 sm:grid-cols-2">
            <CommittedText
              label="Name"
              value={stream.name}
              onCommit={commit((name) => ({ kind: 'name', stream: id, name }))}
            />
            <CommittedText
              label="Id"
              isCode
              value={id}
              onCommit={commit((next) => ({ kind: 'id', stream: id, id: next.trim() }))}
            />
          </div>
          <CommittedText
            label="Plan"
            isLong
            value={(stream.plan ?? '').trimEnd()}
            onCommit={commit((text) => ({ kind: 'plan', stream: id, plan: text }))}
          />
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <Lists stream={stream} others={others} edit={edit} />
          </div>
        </div>
      </div>
    </Card>
  );
}
