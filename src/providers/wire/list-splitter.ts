// The elements of a JSON list that comes in pieces, each as its text, as soon as it has ended.

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

export function createListSplitter(onElement: (text: string) => void) {
  /** Of the element that has not ended. */
  let pieces: string[] = [];
  let depth = 0;
  let isInText = false;
  let isEscaped = false;

  function send(piece: string): void {
    const text = [...pieces, piece].join('').trim();
    pieces = [];
    if (text !== '') onElement(text);
  }

  return {
    write(text: string): void {
      let from = 0;
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (isInText) {
          if (isEscaped) isEscaped = false;
          else if (code === BACKSLASH) isEscaped = true;
          else if (code === QUOTE) isInText = false;
        } else if (code === QUOTE) isInText = true;
        else if (code === OPEN_LIST || code === OPEN_OBJECT) {
          depth += 1;
          // The list itself is no part of its elements.
          if (depth === 1) from = at + 1;
        } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
          depth -= 1;
          if (depth === 1 && code === CLOSE_OBJECT) {
            send(text.slice(from, at + 1));
            from = at + 1;
          } else if (depth === 0) {
            send(text.slice(from, at));
            from = at + 1;
          }
        } else if (code === COMMA && depth === 1) {
          send(text.slice(from, at));
          from = at + 1;
        }
      }
      if (depth > 0) pieces.push(text.slice(from));
    },
  };
}
