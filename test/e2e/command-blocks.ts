export interface CommandBlock {
  /** The line number of its first line of code. */
  line: number;
  code: string;
  /** Why it cannot run unchanged: the text of `<!-- example: … -->` above it. Null for a block that runs. */
  example: string | null;
}

const fence = /^( *)```(\S*)\n(?:([\s\S]*?)\n)??\1```$/gm;
const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'shell', 'console']);
const mark = /<!-- example: (.+) -->\n *$/;

/** The blocks of a document for a terminal, in their order. */
export function commandBlocks(markdown: string): CommandBlock[] {
  return [...markdown.matchAll(fence)]
    .filter(([, , language = '']) => shells.has(language))
    .map(({ index, 3: code = '' }) => {
      const before = markdown.slice(0, index);
      return { line: before.split('\n').length + 1, code, example: mark.exec(before)?.[1] ?? null };
    });
}
