// One line at the end of a file that exists, as a comment: whatever the file is for, it still does that.
import type { Operation } from '../../contract/artifact.ts';

const HASH = ['# ', ''] as const;
const SLASHES = ['// ', ''] as const;
const DASHES = ['-- ', ''] as const;
const STARS = ['/* ', ' */'] as const;
const TAGS = ['<!-- ', ' -->'] as const;

/** Endings of files whose comments may stand on a line of their own after everything else. */
const BY_ENDING: readonly (readonly [RegExp, readonly [string, string]])[] = [
  [
    /\.(?:[cm]?[jt]sx?|jsonc|json5|go|rs|java|kts?|swift|scala|cs|dart|[ch]|cc|cpp|cxx|hh|hpp|proto|zig|gradle|groovy)$/,
    SLASHES,
  ],
  [
    /\.(?:pyi?|rb|sh|bash|zsh|fish|ya?ml|toml|r|pl|ex|exs|jl|tf|hcl|nix|cmake|mk|conf|properties|graphql|gitignore|dockerignore|txt)$/,
    HASH,
  ],
  [/(?:^|\/)(?:Makefile|Dockerfile|Containerfile|Justfile|Gemfile|Rakefile|CODEOWNERS)$/i, HASH],
  [/\.(?:sql|lua|hs|elm)$/, DASHES],
  [/\.(?:css|scss|less)$/, STARS],
  [/\.(?:md|markdown|html?|xml|svg|vue|svelte)$/, TAGS],
];

/** Undefined where a line cannot be added without a risk for what the file is for. */
export function addMarkedLine(path: string, text: string, mark: string): Operation | undefined {
  const style = BY_ENDING.find(([names]) => names.test(path.toLowerCase()))?.[1];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const last = lines.at(-1) ?? '';
  // A line that continues would take the comment in.
  if (style === undefined || text.trim() === '' || /\\\r?$/.test(last)) return undefined;
  const oldText = uniqueEnd(text, lines);
  const lineEnd = last.endsWith('\r') ? '\r' : '';
  const added = `${style[0]}${mark}${style[1]}${lineEnd}`;
  const newText = `${oldText}\n${added}`;
  return { type: 'edit', path, edits: [{ oldText, newText }] };
}

/** As few of the last lines as occur once: an edit has to name the only place. */
function uniqueEnd(text: string, lines: readonly string[]): string {
  for (let count = 1; count < lines.length; count *= 2) {
    const end = lines.slice(-count).join('\n');
    if (end.trim() !== '' && text.indexOf(end) === text.lastIndexOf(end)) return end;
  }
  return lines.join('\n');
}
