export type StatementText = {
  /** Without comments, what surrounds it, and the semicolon at its end. */
  readonly statement: string;
  /** The same with nothing left of quoted texts and names but their quotes. */
  readonly bare: string;
  /** Statements that semicolons divide it into; 0: nothing but comments. */
  readonly count: number;
};

/** Quoted texts and names, `$$` texts, comments to the end of a line and the beginning of others. */
const TOKEN =
  /\b[eE]'(?:\\.|''|[^'\\])*'|'(?:''|[^'])*'|"(?:""|[^"])*"|\$([\p{L}_][\p{L}\p{N}_]*)?\$[^]*?\$\1\$|--[^\n\r]*|\/\*|;/gu;

/** Finds the parts of a query that PostgreSQL skips. It looks at quotes and comments alone, not at what the query says. */
export function readStatementText(text: string): StatementText {
  let [plain, bare, from] = ['', '', 0];
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    const [found] = token;
    const before = text.slice(from, token.index);
    const isComment = found.startsWith('--') || found === '/*';
    if (found === '/*') TOKEN.lastIndex = endOfComment(text, token.index);
    from = TOKEN.lastIndex;
    plain += before + (isComment ? ' ' : found);
    bare += before + (isComment ? ' ' : emptied(found));
  }
  bare += text.slice(from);
  plain += text.slice(from);
  const count = bare.split(';').filter((part) => part.trim() !== '').length;
  return { statement: plain.replaceAll(/^[\s;]+|[\s;]+$/g, ''), bare: bare.trim(), count };
}

const emptied = (token: string) => (token === ';' ? ';' : `${token.slice(0, 1)}${token.slice(-1)}`);

/** Comments may hold comments. @returns where the one that begins at `start` ends */
function endOfComment(text: string, start: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  let depth = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    depth += found[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return text.length;
}
