// Words about lines, and what these lines should be instead.
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Checkbox, Field, TextArea } from '../../ui/field.tsx';
import { placeText } from './comment-view.tsx';
import { useActions } from './review-context.ts';
import type { EditorTarget } from './review-context.ts';

export function CommentEditor({ target }: { target: EditorTarget }) {
  const { range, id } = target;
  const actions = useActions();
  const [typed, setTyped] = useState(target.typed);
  const field = useRef<HTMLDivElement>(null);
  const { text, suggestion } = typed;
  const canSave = text.trim() !== '' || suggestion !== undefined;
  const change = (next: typeof typed) => {
    setTyped(next);
    actions.type(next);
  };
  useEffect(() => {
    field.current?.querySelector('textarea')?.focus({ preventScroll: true });
  }, []);
  const place = placeText(range.side, range.from, range.to);
  return (
    <div
      ref={field}
      role="group"
      aria-label={`Comment on ${range.path}, ${place.toLowerCase()}`}
      className="m-2 flex max-w-3xl flex-col gap-3 rounded-lg border border-accent bg-raised p-3 sm:ml-24"
      onKeyDown={(event) => {
        if (event.key === 'Escape') actions.closeEditor();
        else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && canSave) {
          actions.saveComment(typed);
        } else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <Field label="Comment" hint={place}>
        {(ids) => (
          <TextArea
            {...ids}
            rows={3}
            value={text}
            onChange={(event) => change({ ...typed, text: event.target.value })}
          />
        )}
      </Field>
      {range.side === 'new' && range.from > 0 ? (
        <Checkbox
          label="Suggest other lines"
          checked={suggestion !== undefined}
          onChange={({ target: { checked } }) =>
            change({ ...typed, suggestion: checked ? actions.linesOf(range) : undefined })
          }
        />
      ) : null}
      {suggestion === undefined ? null : (
        <Field label="These lines should be">
          {(ids) => (
            <TextArea
              {...ids}
              rows={Math.min(12, suggestion.split('\n').length + 1)}
              spellCheck={false}
              className="font-mono !text-xs"
              value={suggestion}
              onChange={(event) => change({ ...typed, suggestion: event.target.value })}
            />
          )}
        </Field>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          size="small"
          disabled={!canSave}
          onClick={() => actions.saveComment(typed)}
        >
          {id === undefined ? 'Add the comment' : 'Change the comment'}
        </Button>
        <Button size="small" onClick={() => actions.closeEditor()}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
