// The answer of the model, as it is written.
import { useEffect, useRef, useState } from 'react';
import { useJobText } from '../../../live/job-text.ts';
import { Button } from '../../../ui/button.tsx';
import { useCopy } from '../../../ui/copy.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { formatCount } from '../../../ui/format.ts';

export function OutputTab({ jobId }: { jobId: string }) {
  const { text, isDone, refusal } = useJobText(jobId);
  const [isFollowing, setFollowing] = useState(true);
  const [copied, copy] = useCopy();
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (isFollowing && !isDone) box.current?.scrollTo(0, box.current.scrollHeight);
  }, [isFollowing, isDone, text]);
  if (refusal) return <p className="text-sm text-bad">{refusal}</p>;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2">
      <div className="flex items-center gap-3 text-xs text-soft">
        <span className="tabular">{formatCount(text.length)} characters</span>
        <span className="ml-auto">
          <Checkbox
            label="Follow"
            checked={isFollowing}
            onChange={(event) => setFollowing(event.target.checked)}
          />
        </span>
        <Button size="small" onClick={() => copy(text)}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </div>
      <pre
        ref={box}
        tabIndex={0}
        aria-label="Answer of the model"
        className="min-h-40 flex-1 overflow-auto rounded-lg border border-line bg-sunken p-3 text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        {text}
        {isDone ? null : <span className="pulse text-accent">▍</span>}
      </pre>
    </div>
  );
}
