/** The answer of a model as it is written. */
export function AnswerText({
  text,
  isDone,
  problem,
}: {
  text: string;
  isDone: boolean;
  problem?: string | undefined;
}) {
  if (problem) return <p className="text-sm text-bad">{problem}</p>;
  return (
    <pre
      tabIndex={0}
      aria-label="Answer of the model"
      className="max-h-[60vh] min-h-16 overflow-auto rounded-lg border border-line bg-sunken p-3 text-xs leading-5 wrap-break-word whitespace-pre-wrap"
    >
      {text}
      {isDone ? null : <span className="pulse text-accent">▍</span>}
    </pre>
  );
}
