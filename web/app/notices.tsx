// Notifies the person of what runs ask while no tab is in view.
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { notify } from '../live/desktop-notices.ts';
import { onNotify, sayAsked } from '../live/live.ts';
import { useOpenQuestions } from '../session/needs-you.ts';

export function Notices(): null {
  const questions = useOpenQuestions();
  const navigate = useNavigate();
  /** What was there when the page was opened is no news. */
  const known = useRef<ReadonlySet<string>>(undefined);
  const open = useRef(questions);
  useEffect(() => {
    if (questions === undefined) return;
    open.current = questions;
    const ids = questions.filter(({ mayAnswer }) => mayAnswer).map(({ id }) => id);
    const before = known.current;
    known.current = new Set([...(before ?? []), ...ids]);
    if (before !== undefined) ids.filter((id) => !before.has(id)).forEach(sayAsked);
  }, [questions]);
  useEffect(
    () =>
      onNotify((id) => {
        const asked = open.current?.find((each) => each.id === id);
        // Answered meanwhile.
        if (asked === undefined) return;
        notify(asked, () => {
          window.focus();
          void navigate({ to: '/approvals/$approvalId', params: { approvalId: id } });
        });
      }),
    [navigate],
  );
  return null;
}
