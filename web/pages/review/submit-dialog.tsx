// The end of a review: what was said, in numbers, and what should happen now.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Review, ReviewVerdict } from '../../../src/contract/review-api.ts';
import { api } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { plural } from '../../ui/format.ts';
import type { DraftStore } from './model/draft-store.ts';
import type { Counts } from './model/units.ts';

interface Choice {
  verdict: ReviewVerdict;
  title: string;
  text: string;
}

/** With what happens to them: "1 hunk is", "2 hunks are". */
const counted = (count: number, noun: string, [one, many]: readonly [string, string]) =>
  `${plural(count, noun)} ${count === 1 ? one : many}`;

function choicesFor(
  { isApplied }: Pick<Review, 'isApplied'>,
  { rejected, undecided }: Counts,
  comments: number,
): readonly Choice[] {
  const out = isApplied ? 'taken back' : 'left out';
  const rest = isApplied
    ? counted(undecided, 'hunk', ['without a decision stays', 'without a decision stay'])
    : counted(undecided, 'hunk', [
        'without a decision is written, too',
        'without a decision are written, too',
      ]);
  const gone = counted(rejected, 'hunk', ['is', 'are']);
  const task = counted(comments, 'comment', ['becomes', 'become']);
  return [
    {
      verdict: 'apply',
      title: 'Apply accepted',
      text: [
        'What is accepted is kept.',
        rejected === 0 ? '' : `${gone} ${out}.`,
        undecided === 0 ? '' : `${rest}.`,
        'The checks run again before it counts.',
      ]
        .filter((sentence) => sentence !== '')
        .join(' '),
    },
    {
      verdict: 'changes',
      title: 'Ask for changes',
      text: `${task} the task of the next round, whose changes come back for review. What is rejected is ${out} first.`,
    },
    {
      verdict: 'reject',
      title: 'Reject all',
      text: isApplied
        ? 'Everything in this review is taken back, whatever was decided.'
        : 'Nothing of this review is written, whatever was decided.',
    },
  ];
}

export function SubmitDialog({
  review,
  store,
  counts,
  comments,
  unfinished,
  onClose,
  onUnfinished,
}: {
  review: Review;
  store: DraftStore;
  counts: Counts;
  comments: number;
  /** A comment is being written: where. */
  unfinished: string | undefined;
  onClose: () => void;
  onUnfinished: () => void;
}) {
  const client = useQueryClient();
  const [verdict, setVerdict] = useState<ReviewVerdict>(comments > 0 ? 'changes' : 'apply');
  const [comment, setComment] = useState('');
  const submit = useMutation({
    mutationFn: async () => {
      await store.flush();
      const said = comment.trim();
      return api.approvals.resolve(review.approvalId, {
        hash: review.hash,
        ...(verdict === 'reject'
          ? { decision: 'deny' as const }
          : { decision: 'approve' as const, verdict }),
        ...(said !== '' && { comment: said }),
      });
    },
    onSuccess: onClose,
    // Also after a refusal: another person may have been first, and the page says who.
    onSettled: () =>
      Promise.all(
        ['approval', 'approvals', 'audit'].map((key) =>
          client.invalidateQueries({ queryKey: [key] }),
        ),
      ),
  });
  const { accepted, rejected, undecided } = counts;
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title="Finish the review"
      lead={`${accepted} accepted, ${rejected} rejected, ${undecided} undecided, ${plural(comments, 'comment')}.`}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit.mutate();
        }}
      >
        {unfinished === undefined ? null : (
          <p className="flex flex-wrap items-center gap-2 text-sm text-warn">
            A comment on {unfinished} is not added yet.
            <Button size="small" onClick={onUnfinished}>
              Go there
            </Button>
          </p>
        )}
        <fieldset className="flex flex-col gap-2">
          <legend className="sr-only">What should happen</legend>
          {choicesFor(review, counts, comments).map(({ verdict: id, title, text }) => (
            <label
              key={id}
              className="flex items-start gap-2.5 rounded-lg border border-line-strong p-3 has-checked:border-accent has-checked:bg-accent-soft"
            >
              <input
                type="radio"
                name="verdict"
                value={id}
                checked={verdict === id}
                disabled={id === 'changes' && comments === 0}
                onChange={() => setVerdict(id)}
                className="mt-1 accent-(--accent)"
              />
              <span className="text-sm">
                <span className="font-medium">{title}</span>
                <span className="block text-soft">
                  {id === 'changes' && comments === 0
                    ? 'Comment on lines first: that is what the next round works on.'
                    : text}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
        <Field label="Comment" hint="For the record, if there is anything to say.">
          {(ids) => (
            <TextArea
              {...ids}
              rows={2}
              maxLength={2000}
              value={comment}
              onChange={(event) => setComment(event.target.value)}
            />
          )}
        </Field>
        {submit.error ? (
          <p role="alert" className="text-sm text-bad">
            {submit.error.message}
          </p>
        ) : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Continue reviewing</Button>
          <Button
            type="submit"
            look={verdict === 'reject' ? 'danger' : 'primary'}
            busy={submit.isPending}
            disabled={unfinished !== undefined}
          >
            Submit
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
