/** A sentence in which words between backticks are typed as they are. */
export function EventText({ text }: { text: string }) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={part}>{part}</code> : part));
}
