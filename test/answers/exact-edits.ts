// Edits whose old text is in the file exactly once. Each is applied as written, whatever the new text looks
// like: what comes into the file is `newText`, byte for byte.

export interface ExactEdit {
  name: string;
  path: string;
  before: string;
  oldText: string;
  newText: string;
}

type Pair = [name: string, oldText: string, newText: string];

const of = (path: string, before: string, pairs: Pair[]): ExactEdit[] =>
  pairs.map(([name, oldText, newText]) => ({
    name: `${path}: ${name}`,
    path,
    before,
    oldText,
    newText,
  }));

const C = `#include <stdio.h>

int main(void) {
    int level = 1;
    printf("level %d\\n", level);
    if (level > 0) {
        puts("positive");
    }
    return 0;
}
`;

const PYTHON = `import sys


def total(values):
    s = 0
    for v in values:
        s += v
        print(s)
    return s


class Counter:
    """Counts."""

    def __init__(self):
        self.n = 0

    def up(self):
        if self.n < 10:
            self.n += 1
            return True
        return False
`;

const MAKE = `CC ?= cc

all: build

build: main.o
\t$(CC) -o app main.o
\t@echo built

clean:
\trm -f app *.o
`;

const YAML = `name: ci
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: npm test
  lint:
    runs-on: ubuntu-latest
    steps:
      - run: npm run lint
`;

const SHELL = `#!/bin/sh
set -eu

write_config() {
    target=$1
    if [ ! -e "$target" ]; then
        cat > "$target" <<EOF
port=8080
host=localhost
EOF
    fi
}

write_config /tmp/app.conf
`;

const TYPESCRIPT = `export function page(title: string): string {
  const head = \`<head>
  <title>\${title}</title>
</head>\`;
  return \`
<html>
\${head}
</html>
\`;
}

export class Store {
  private items = new Map<string, string>();

  get(key: string): string | undefined {
    return this.items.get(key);
  }
}
`;

const MARKDOWN = `# Guide

It\u2019s a \u201csmall\u201d tool \u2014 nothing more.

- first
  - nested
- second

\`\`\`go
func main() {
\tfmt.Println("hi")
}
\`\`\`

    indented code
`;

const GO = `package main

import "fmt"

func main() {
\tname := "x"
\tif name != "" {
\t\tfmt.Println(name)
\t}
}
`;

const RUST = `fn main() {
    let text = r#"
raw
"#;
    match text.len() {
        0 => println!("empty"),
        n => println!("{n}"),
    }
}
`;

const HTML = `<!doctype html>
<html>
  <body>
    <pre>
one
two
    </pre>
    <p>Hello</p>
  </body>
</html>
`;

const CSS = `.card {
  color: red;
  padding: 4px;
}

@media print {
  .card {
    display: none;
  }
}
`;

const SQL = `create table users (
    id bigint primary key,
    name text not null
);

insert into users values
    (1, 'a'),
    (2, 'b');
`;

export const EXACT_EDITS: ExactEdit[] = [
  ...of('main.c', C, [
    [
      'a line and a directive at the margin',
      '    int level = 1;',
      '    int level = 1;\n#ifdef DEBUG\n    level = 2;\n#endif',
    ],
    [
      'a directive takes the place of a line',
      '    printf("level %d\\n", level);',
      '#if 0\n    printf("level %d\\n", level);\n#endif',
    ],
    ['a label at the margin', '    return 0;', 'out:\n    return 0;'],
    ['a line moved to the margin', '        puts("positive");', 'puts("positive");'],
    ['tabs in a file of spaces', '        puts("positive");', '\tputs("positive");'],
    [
      'a function after the last one',
      '    return 0;\n}',
      '    return 0;\n}\n\nstatic void f(void)\n{\n}',
    ],
    ['a define before the first function', 'int main(void) {', '#define N 4\nint main(void) {'],
    ['part of a line', 'level > 0', 'level >\n#ifdef X\n1\n#else\n0\n#endif\n'],
  ]),
  ...of('total.py', PYTHON, [
    ['a line taken out of its loop', '        print(s)', '    print("sum", s)'],
    ['a line taken out of its function', '        print(s)', 'print("sum", s)'],
    ['a flat line for an indented one', '    s = 0', 's = 0'],
    [
      'a line and a function at the top level',
      '    return s',
      '    return s\n\n\ndef mean(values):\n    return total(values) / len(values)',
    ],
    [
      'a method and a function at the top level',
      '        return False',
      '        return False\n\n\ndef make():\n    return Counter()',
    ],
    [
      'one level less for two lines',
      '            self.n += 1\n            return True',
      '        self.n += 1\n        return True',
    ],
    ['a string at the margin', '        self.n = 0', '        self.n = """\nzero\n"""'],
    ['a comment at the margin', '        s += v', '# todo\n        s += v'],
    ['an ellipsis for a body', '        self.n = 0', '        ...'],
    [
      'the start of a line without its blanks',
      'return s\n',
      'return s\n\n\ndef last(values):\n    return values[-1]\n',
    ],
    ['deeper by one level', '    return s', '        return s'],
  ]),
  ...of('Makefile', MAKE, [
    ['a target after a recipe', '\t@echo built', '\t@echo built\n\ntest: build\n\t./app --test'],
    ['a variable after a recipe', '\trm -f app *.o', '\trm -f app *.o\nVERSION := 1'],
    ['a conditional around a recipe', '\t@echo built', 'ifdef VERBOSE\n\t@echo built\nendif'],
    ['spaces in a file of tabs', 'CC ?= cc', 'CC ?= cc\nSOURCES = a.c \\\n          b.c'],
    ['a define with its own lines', 'all: build', 'define NOTE\n  read me\nendef\n\nall: build'],
    ['a recipe without its tab', '\trm -f app *.o', 'rm:'],
  ]),
  ...of('ci.yaml', YAML, [
    [
      'a job after a step',
      '      - run: npm run lint',
      '      - run: npm run lint\n  build:\n    runs-on: ubuntu-latest',
    ],
    [
      'a key at the margin after a step',
      '      - run: npm run lint',
      '      - run: npm run lint\nenv:\n  CI: "1"',
    ],
    [
      'a list that is indented otherwise',
      '      - uses: actions/checkout@v4\n      - run: npm test',
      '    - uses: actions/checkout@v4\n    - run: npm test',
    ],
    [
      'a block scalar',
      '      - run: npm test',
      '      - run: |\n          npm ci\n          npm test',
    ],
    [
      'a document end',
      '      - run: npm run lint',
      '      - run: npm run lint\n...\n---\nname: other',
    ],
    ['a step moved out by two', '      - run: npm test', '    - run: npm test'],
  ]),
  ...of('setup.sh', SHELL, [
    ['a line of a here-document', 'port=8080', 'port=9090'],
    ['lines of a here-document, indented', 'host=localhost', '    host=localhost\nname=app'],
    [
      'a here-document in a function',
      '    target=$1',
      '    target=$1\n    cat <<EOT\nusage: setup\nEOT',
    ],
    ['the end of a here-document', 'host=localhost\nEOF', 'host=localhost\n# end\nEOF'],
    ['a flat line in a function', '    target=$1', 'target=$1'],
    ['a function at the top level', '    fi\n}', '    fi\n}\n\nmain() {\n    :\n}'],
    [
      'tabs for a here-document with a dash',
      '        cat > "$target" <<EOF',
      '\tcat > "$target" <<-EOF',
    ],
  ]),
  ...of('page.ts', TYPESCRIPT, [
    ['a line of a template at the margin', '  <title>${title}</title>', '<title>${title}</title>'],
    ['lines within a template', '<html>\n${head}', '<html lang="en">\n  ${head}\n<body>'],
    [
      'a template at the margin in a method',
      '    return this.items.get(key);',
      '    return `\n${key}: ${this.items.get(key)}\n`;',
    ],
    [
      'a function after a method',
      '    return this.items.get(key);\n  }\n}',
      '    return this.items.get(key);\n  }\n}\n\nexport const store = new Store();',
    ],
    ['curly quotes in a text', '<html>', '<html data-title=\u201cx\u201d>'],
    [
      'a statement at the margin',
      '  private items = new Map<string, string>();',
      '// prettier-ignore\n  private items = new Map<string, string>();',
    ],
    [
      'a method that is less indented',
      '    return this.items.get(key);',
      '  return this.items.get(key);',
    ],
  ]),
  ...of('guide.md', MARKDOWN, [
    [
      'curly quotes stay',
      'It\u2019s a \u201csmall\u201d tool \u2014 nothing more.',
      'It\u2019s (\u201ctiny\u201d) \u2014 and {\u2018fast\u2019}; nothing more\u2026',
    ],
    [
      'curly quotes where there were none',
      '- first',
      '- first: \u201cone\u201d, [\u2018two\u2019]',
    ],
    ['plain quotes for curly ones', 'It\u2019s a \u201csmall\u201d tool', 'It\'s a "small" tool'],
    ['Go with tabs', '\tfmt.Println("hi")', '\tfmt.Println("hi")\n\tfmt.Println("ho")'],
    [
      'Go with tabs after a list of spaces',
      '- second',
      '- second\n\n```go\nif x {\n\treturn\n}\n```',
    ],
    ['a nested item moved out', '  - nested', '- nested'],
    ['two blanks at the end of a line', '- first', '- first  \n  continued'],
    ['a heading after indented code', '    indented code', '    indented code\n\n## More'],
    ['an indented line taken out', '    indented code', 'no code'],
  ]),
  ...of('main.go', GO, [
    ['a raw string at the margin', '\tname := "x"', '\tname := `\nx\n  y\n`'],
    [
      'a function after the last line',
      '\t\tfmt.Println(name)\n\t}\n}',
      '\t\tfmt.Println(name)\n\t}\n}\n\nfunc f() {\n\treturn\n}',
    ],
    ['spaces in a file of tabs', '\t\tfmt.Println(name)', '        fmt.Println(name)'],
    ['a label at the margin', '\tif name != "" {', 'again:\n\tif name != "" {'],
    ['a line moved out', '\t\tfmt.Println(name)', '\tfmt.Println(name)'],
  ]),
  ...of('main.rs', RUST, [
    ['a raw string at the margin', 'raw\n"#;', 'raw\n    indented\n"#;\n    let n = 1;'],
    [
      'an attribute at the margin',
      '    match text.len() {',
      '#[allow(unused)]\n    match text.len() {',
    ],
    [
      'an arm that is less indented',
      '        0 => println!("empty"),',
      '    0 => println!("empty"),',
    ],
    ['a function before the end', 'fn main() {', 'fn helper() {}\n\nfn main() {'],
  ]),
  ...of('index.html', HTML, [
    ['preformatted lines at the margin', 'one\ntwo', 'one\n  two\nthree'],
    [
      'an element and preformatted text',
      '    <p>Hello</p>',
      '    <p>Hello</p>\n    <pre>\nx\n</pre>',
    ],
    ['an element moved to the margin', '    <p>Hello</p>', '<p>Hello</p>'],
    ['curly quotes in an attribute', '    <p>Hello</p>', '    <p title=\u201chi\u201d>Hello</p>'],
  ]),
  ...of('card.css', CSS, [
    [
      'a rule after a declaration',
      '  padding: 4px;\n}',
      '  padding: 4px;\n}\n\n.card:hover {\n\tcolor: blue;\n}',
    ],
    ['a declaration that is less indented', '    display: none;', '  display: none;'],
    ['a quote that is curly', '  color: red;', '  color: red;\n  content: \u201c\u2026\u201d;'],
  ]),
  ...of('users.sql', SQL, [
    ['a row at the margin', "    (2, 'b');", "(2, 'b'),\n(3, 'c');"],
    [
      'a statement after a column',
      '    name text not null\n);',
      '    name text not null\n);\ncreate index on users (name);',
    ],
    [
      'a comment at the margin',
      '    id bigint primary key,',
      '-- the key\n    id bigint primary key,',
    ],
    ['a dollar-quoted body', '    name text not null', '    name text not null default $$\nx\n$$'],
  ]),
];
