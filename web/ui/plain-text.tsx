// Text of others in a sentence or a block: never more than text, and nothing of it invisible.
import { textParts } from '../../src/domain/text/hidden-characters.ts';

export function HiddenMark({ name }: { name: string }) {
  return (
    <span
      title="A character that cannot be seen"
      className="rounded-sm bg-warn-soft px-0.5 text-2xs text-warn"
    >
      {name}
    </span>
  );
}

export function PlainText({ text }: { text: string }) {
  return (
    <bdi dir="ltr">
      {textParts(text).map((part, at) =>
        part.isHidden ? <HiddenMark key={at} name={part.text} /> : part.text,
      )}
    </bdi>
  );
}
