// The statements of a file of SQL, without its comments. Knows strings, quoted names and dollar quotes, in
// which a semicolon or two dashes are just text.

const TOKEN = /--[^\n]*|\/\*|'[^']*'|"[^"]*"|\$[A-Za-z_]*\$|[^-/'"$;]+|./gsy;

/** Up to the end of what the token begins, if it is one of those that another token ends. */
function wholeToken(sql: string, token: string, at: number): string {
  const isComment = token === '/*';
  if (!isComment && !/^\$\w*\$$/.test(token)) return token;
  const ending = isComment ? '*/' : token;
  const end = sql.indexOf(ending, at + token.length);
  return end < 0 ? sql.slice(at) : sql.slice(at, end + ending.length);
}

export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let text = '';
  const tokens = new RegExp(TOKEN);
  for (let at = 0; at < sql.length;) {
    tokens.lastIndex = at;
    const [found = ''] = tokens.exec(sql) ?? [];
    const token = wholeToken(sql, found, at);
    at += token.length;
    if (token === ';') {
      statements.push(text.trim());
      text = '';
    } else text += /^(?:--|\/\*)/.test(token) ? ' ' : token;
  }
  return [...statements, text.trim()].filter((statement) => statement !== '');
}
