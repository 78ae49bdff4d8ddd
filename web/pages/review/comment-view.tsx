import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/format.ts';
import { splitLines } from '../../../src/domain/diff/hunks.ts';
import { lastLine } from './model/comments.ts';
import type { ShownComment, Side } from './model/comments.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { useActions, useRights } from './review-context.ts';

export const CODE_BOX =
  'overflow-x-auto rounded-md border border-line bg-sunken p-2 text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]';

export function placeText(side: Side, from: number, to: number): string {
  if (from < 1) return 'The file';
  const word = side === 'old' ? 'Old line' : 'Line';
  return to === from ? `${word} ${to}` : `${word}s ${from} to ${to}`;
}

/** Comments of the reader can be changed; those of earlier rounds are only read. */
export function CommentView({
  shown,
  namesFile = false,
}: {
  shown: ShownComment;
  /** Where it does not stand below its file. */
  namesFile?: boolean;
}) {
  const { id, comment, carried, isOutdated } = shown;
  const { text, suggestion, quoted } = comment;
  const actions = useActions();
  const { mayDecide } = useRights();
  const place = placeText(comment.side, comment.line, lastLine(comment));
  return (
    <article
      aria-label={`Comment on ${comment.path}, ${place.toLowerCase()}`}
      className="m-2 flex max-w-3xl flex-col gap-2 rounded-lg border border-line-strong bg-raised p-3 text-sm sm:ml-24"
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-soft">
        {namesFile ? (
          <span className="font-mono [overflow-wrap:anywhere] text-text">
            <PlainText text={comment.path} />
          </span>
        ) : null}
        <span>{place}</span>
        {carried === undefined ? null : <span>Round {carried.round}</span>}
        {isOutdated ? (
          <span className="rounded-full bg-warn-soft px-2 py-0.5 font-medium text-warn">
            Outdated
          </span>
        ) : null}
        {carried?.outcome === undefined ? null : (
          <span>
            <PlainText text={carried.outcome} />
          </span>
        )}
        {carried === undefined && mayDecide ? (
          <span className="ml-auto flex gap-1">
            <Button look="ghost" size="small" onClick={() => actions.editComment(id, comment)}>
              Edit
            </Button>
            <Button look="ghost" size="small" onClick={() => actions.deleteComment(id)}>
              Delete
            </Button>
          </span>
        ) : null}
      </header>
      {isOutdated && quoted !== '' ? (
        <div>
          <p className="mb-1 text-xs text-soft">
            It was about {plural(splitLines(quoted).length, 'line')} that changed since:
          </p>
          <pre className={CODE_BOX}>
            <PlainText text={quoted} />
          </pre>
        </div>
      ) : null}
      {text.trim() === '' ? null : (
        <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">
          <PlainText text={text} />
        </p>
      )}
      {suggestion === undefined ? null : (
        <div>
          <p className="mb-1 text-xs text-soft">
            {suggestion === '' ? 'Suggestion: take these lines out.' : 'Suggestion:'}
          </p>
          {suggestion === '' ? null : (
            <pre className={CODE_BOX}>
              <PlainText text={suggestion} />
            </pre>
          )}
        </div>
      )}
    </article>
  );
}
