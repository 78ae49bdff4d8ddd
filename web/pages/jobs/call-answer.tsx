// The answer of a call: its text, and the tools that the model asks its client to use.
import { AnswerText } from '../../ui/answer-text.tsx';
import { Wrench } from '../../ui/icons.tsx';
import { answerParts, readable } from './answer-parts.ts';

function ToolCall({ name, input, isDone }: { name: string; input: string; isDone: boolean }) {
  return (
    <section
      aria-label={`Tool call ${name}`}
      className="overflow-hidden rounded-lg border border-line"
    >
      <h2 className="flex items-center gap-2 px-3 py-1.5 text-xs font-medium">
        <Wrench aria-hidden className="size-3.5 text-faint" />
        <code className="min-w-0 truncate">{name}</code>
        <span className="font-normal text-faint">tool call</span>
      </h2>
      <pre
        tabIndex={0}
        aria-label={`Input of ${name}`}
        className="max-h-96 overflow-auto border-t border-line bg-sunken p-3 text-xs leading-5 wrap-break-word whitespace-pre-wrap"
      >
        {readable(input)}
        {isDone ? null : <span className="pulse text-accent">▍</span>}
      </pre>
    </section>
  );
}

export function CallAnswer({
  text,
  isDone,
  problem,
}: {
  text: string;
  isDone: boolean;
  problem: string | undefined;
}) {
  const parts = answerParts(text);
  if (problem !== undefined || parts.every(({ kind }) => kind === 'text')) {
    return <AnswerText text={text} isDone={isDone} problem={problem} />;
  }
  return (
    <div className="flex flex-col gap-2">
      {parts.map((part, index) => {
        const isWhole = isDone || index < parts.length - 1;
        return part.kind === 'tool' ? (
          <ToolCall key={index} name={part.name} input={part.input} isDone={isWhole} />
        ) : (
          <AnswerText key={index} text={part.text.trim()} isDone={isWhole} />
        );
      })}
    </div>
  );
}
