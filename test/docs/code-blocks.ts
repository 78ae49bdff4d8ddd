// The fenced code blocks of a Markdown text.

export interface CodeBlock {
  language: string;
  /** What follows the language: one of several ways to do the same. */
  label: string;
  text: string;
  /** Where it is, as file:line. */
  place: string;
}

/** A fence ends with a line of at least as many of the same marks; what is inside is text. */
export function codeBlocksOf(file: string, markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { fence: string; info: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, fence = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})\s*(.*)$/.exec(line) ?? [];
    if (open === undefined) {
      if (fence !== '') open = { fence, info: rest.trim(), line: index + 1, lines: [] };
    } else if (fence.startsWith(open.fence) && rest === '') {
      const { info, lines } = open;
      const [language = '', ...label] = info.split(' ');
      const place = `${file}:${open.line}`;
      blocks.push({ language, label: label.join(' '), text: `${lines.join('\n')}\n`, place });
      open = undefined;
    } else open.lines.push(line);
  }
  if (open !== undefined) throw new Error(`${file}:${open.line}: the code block has no end`);
  return blocks;
}
